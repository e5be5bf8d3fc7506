package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.scr.internal.scavenge.CacheCopy;
import io.drumlin.scr.internal.scavenge.Scavenge;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program lets nobody else read stays so in all copies, while they are made, too. */
class FileModesTest extends DatasetJobs {

    private static final String PRIVATE = "rw-------";
    private static final FileTime LONG_AGO = FileTime.from(Instant.ofEpochSecond(1_234_567_890, 123_456_789));

    /** Copies that others could read when they were opened to be written. */
    private final List<String> exposed = Collections.synchronizedList(new ArrayList<>());

    private final List<String> copied = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void watch() {
        StorageEngine real = storage;
        storage = (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(real, arguments);
                        if (method.getName().equals("open")) {
                            opened((Path) arguments[0], (Set<?>) arguments[1]);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void opened(Path path, Set<?> modes) throws IOException {
        if (modes.contains(OpenMode.WRITE) && isCopy(path)) {
            copied.add(path.toString());
            if (!permissions(path).equals(PRIVATE)) {
                exposed.add(path + " " + permissions(path));
            }
        }
    }

    private static boolean isCopy(Path path) {
        String name = path.getFileName().toString();
        return name.startsWith("data") || name.startsWith("arriving.") || name.contains(".mem_");
    }

    @AfterEach
    void nobodyCouldRead() {
        assertThat(copied).isNotEmpty();
        assertThat(exposed).isEmpty();
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static String mode(int rank) {
        return List.of(PRIVATE, "rw-r-----", "r--r-----", "rwxr-xr-x").get(rank);
    }

    /** Writes a checkpoint of one file for each rank. */
    private void write(ScrDatasets datasets, int rank) throws IOException {
        datasets.startOutput("ckpt.1", true, false);
        Path file = datasets.routeFile(file("ckpt.1", rank, 0));
        Files.write(file, content("ckpt.1", rank, 0));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode(rank)));
        Files.setLastModifiedTime(file, LONG_AGO);
        assertThat(datasets.completeOutput(true)).isTrue();
    }

    private void read(ScrDatasets datasets, int rank) throws IOException {
        assertThat(datasets.haveRestart()).contains("ckpt.1");
        assertThat(datasets.startRestart()).isEqualTo("ckpt.1");
        Path file = datasets.routeFile(file("ckpt.1", rank, 0));
        assertThat(file).hasBinaryContent(content("ckpt.1", rank, 0));
        requireKept(file, rank);
        assertThat(datasets.completeRestart(true)).isTrue();
    }

    private static void requireKept(Path file, int rank) throws IOException {
        assertThat(permissions(file)).as("%s", file).isEqualTo(mode(rank));
        assertThat(Files.getLastModifiedTime(file)).as("%s", file).isEqualTo(LONG_AGO);
    }

    private List<Path> files(Path root, Predicate<String> names) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(path -> names.test(path.getFileName().toString()))
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1, 1GB"})
    void flushAndFetchKeepThem(String asynchronous, String bandwidth) throws IOException {
        parameters.put("SCR_FLUSH", "1");
        parameters.put("SCR_FLUSH_ASYNC", asynchronous);
        parameters.put("SCR_FLUSH_ASYNC_BW", bandwidth);
        for (int rank = 0; rank < 2; rank++) {
            Path older = file("ckpt.1", rank, 0);
            Files.createDirectories(older.getParent());
            Files.writeString(older, "of a flush that died");
            Files.setPosixFilePermissions(older, PosixFilePermissions.fromString("rw-r--r--"));
        }
        job((datasets, rank) -> {
            write(datasets, rank);
            datasets.close();
        });
        for (int rank = 0; rank < RANKS; rank++) {
            requireKept(file("ckpt.1", rank, 0), rank);
        }
        deleteCaches();
        job(this::read);
    }

    @ParameterizedTest
    @EnumSource(
            value = CopyType.class,
            names = {"PARTNER", "XOR", "RS"})
    void rebuiltFilesHaveThem(CopyType type) throws IOException {
        parameters.put("SCR_COPY_TYPE", type.name());
        job(this::write);
        delete(node(1));
        job(this::read);
    }

    /** Partner copies have the very bytes, and sums tell something about them. */
    @ParameterizedTest
    @EnumSource(
            value = CopyType.class,
            names = {"PARTNER", "XOR", "RS"})
    void redundancyFilesAreTheOwners(CopyType type) throws IOException {
        parameters.put("SCR_COPY_TYPE", type.name());
        job(this::write);
        for (int node = 0; node < RANKS; node++) {
            List<Path> found = files(node(node), name -> name.contains(".mem_"));
            assertThat(found).isNotEmpty();
            for (Path each : found) {
                assertThat(permissions(each)).as("%s", each).isEqualTo(PRIVATE);
            }
        }
    }

    @Test
    void filesThatMoveWithTheirRanksKeepThem() throws IOException {
        job(this::write);
        place(1, 2, 3, 0);
        job(this::read);
    }

    @Test
    void whatIsSavedOfADeadJobKeepsThem() throws IOException {
        parameters.put("SCR_FLUSH", "0");
        job(this::write);
        ScrPrefix prefix = new ScrPrefix(prefix());
        Scavenge scavenge = new Scavenge(prefix, storage);
        scavenge.begin(1);
        for (int node = 0; node < RANKS; node++) {
            new CacheCopy(prefix, cache(node), storage).copy(1, bytes -> {});
        }
        scavenge.finish(1, Set.of(0, 1, 2, 3));
        for (int rank = 0; rank < RANKS; rank++) {
            requireKept(file("ckpt.1", rank, 0), rank);
        }
        for (Path each : files(prefix.metadata(1), name -> name.contains(".mem_"))) {
            assertThat(permissions(each)).as("%s", each).isEqualTo(PRIVATE);
        }
    }
}
