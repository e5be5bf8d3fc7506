package io.drumlin.storage;

import static io.drumlin.storage.OpenMode.CREATE;
import static io.drumlin.storage.OpenMode.DIRECT;
import static io.drumlin.storage.OpenMode.READ;
import static io.drumlin.storage.OpenMode.TRUNCATE;
import static io.drumlin.storage.OpenMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultyEngineTest {

    private static final String OLD = "o".repeat(3000);
    private static final String NEW = "n".repeat(5000);

    @TempDir(factory = StorageEngineContract.BesideTheBuild.class)
    Path folder;

    private final FaultyEngine engine = new FaultyEngine(new NioEngine());
    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectory(folder.resolve("root"));
    }

    // ------------------------------------------------------------------------------------------------- faults

    @Test
    void failsTheOperationThatWasPlannedAndNoOther() throws IOException {
        Path path = root.resolve("file");
        engine.open(path, EnumSet.of(WRITE, CREATE)).close();
        engine.fail(Operation.OPEN, 2, "EMFILE");
        engine.fail(Operation.SYNC, 1, "EIO");
        engine.fail(Operation.RENAME, 1, "EACCES");
        try (BlockFile file = engine.open(path, EnumSet.of(WRITE))) {
            assertInjected("EMFILE", () -> engine.open(path, EnumSet.of(WRITE)));
            assertInjected("EIO", file::sync);
            file.sync();
        }
        assertInjected("EACCES", () -> engine.rename(path, root.resolve("other")));
        assertThat(path).exists();
        engine.rename(path, root.resolve("other"));
        assertThat(root.resolve("other")).exists();
        assertThat(engine.count(Operation.OPEN)).isEqualTo(3);
    }

    @Test
    void cutsWritesWhereItWasTold() throws IOException {
        Path path = root.resolve("file");
        try (BlockFile file = engine.open(path, EnumSet.of(WRITE, CREATE))) {
            engine.cut(2, 700, "ENOSPC");
            file.write(text(OLD), 0);
            assertInjected("ENOSPC", () -> file.write(text(NEW), 0));
        }
        assertThat(path).hasContent("n".repeat(700) + "o".repeat(2300));
    }

    @Test
    void cutsStartedDirectWritesAtABlock() throws IOException {
        Path path = root.resolve("file");
        try (AlignedBuffer memory = engine.allocate(4 * AlignedBuffer.ALIGNMENT);
                BlockFile file = engine.open(path, EnumSet.of(WRITE, CREATE, DIRECT))) {
            engine.cut(1, file.alignment() * 2 - 1, "EDQUOT");
            PendingWrite write = file.startWrite(memory.buffer(), 0);
            assertInjected("EDQUOT", write::await);
            assertThat(path).hasSize(2 * file.alignment() - (file.direct() ? file.alignment() : 1));
            engine.cut(1, 0, "EIO");
            file.startWrite(memory.buffer(), 0);
            assertInjected("EIO", file::close);
        }
    }

    // ------------------------------------------------------------------------------------------------- replay

    @Test
    void writesDownWhatHappenedInOrder() throws IOException {
        CrashJournal journal = engine.record(root);
        replace(true, true, true);
        assertThat(journal.operations())
                .containsExactly(
                        "create new.tmp",
                        "open new.tmp",
                        "truncate to 0",
                        "write 5000 at 0 #1",
                        "written #1",
                        "sync",
                        "rename new.tmp -> new",
                        "sync directory ",
                        "delete old",
                        "sync directory ");
    }

    @Test
    void findsTheOldOrTheNewAfterEveryCrashOfACarefulReplacement() throws IOException {
        assertThat(outcomes(true, true, true, Crash.KILL)).containsExactly("both", "new", "old");
        assertThat(outcomes(true, true, true, Crash.POWER_LOSS)).containsExactly("both", "new", "old");
    }

    @Test
    void findsDamageWhenTheFileIsNotSynced() throws IOException {
        assertThat(outcomes(false, true, true, Crash.POWER_LOSS)).contains("damaged");
        assertThat(outcomes(false, true, true, Crash.KILL)).doesNotContain("damaged", "nothing");
    }

    @Test
    void findsNothingWhenTheDirectoryIsNotSyncedBeforeTheOldGoes() throws IOException {
        assertThat(outcomes(true, false, true, Crash.POWER_LOSS)).contains("nothing");
        assertThat(outcomes(true, false, true, Crash.KILL)).doesNotContain("damaged", "nothing");
    }

    @Test
    void findsTornDataWhenAFileIsOverwrittenInPlace() throws IOException {
        assertThat(outcomes(true, true, false, Crash.KILL)).contains("damaged");
    }

    /** Replaces the file old by new in one way or another and says what all crashes of it left. */
    private Set<String> outcomes(boolean sync, boolean syncDirectory, boolean rename, Crash crash) throws IOException {
        Path area = Files.createTempDirectory(folder, "outcomes");
        root = Files.createDirectory(area.resolve("root"));
        Files.writeString(root.resolve("old"), OLD);
        CrashJournal journal = engine.record(root);
        if (rename) {
            replace(sync, syncDirectory, true);
        } else {
            write(root.resolve("old"), false, sync);
        }
        Set<String> outcomes = new TreeSet<>();
        for (int prefix = 0; prefix <= journal.size(); prefix++) {
            for (int seed = 0; seed < 40; seed++) {
                Path left = area.resolve(prefix + "-" + seed);
                journal.replay(prefix, left, crash, new Random(seed));
                outcomes.add(outcome(left));
            }
        }
        return outcomes;
    }

    private void replace(boolean sync, boolean syncDirectory, boolean deleteOld) throws IOException {
        Path temporary = root.resolve("new.tmp");
        write(temporary, true, sync);
        engine.rename(temporary, root.resolve("new"));
        if (syncDirectory) {
            engine.syncDirectory(root);
        }
        if (deleteOld) {
            engine.delete(root.resolve("old"));
            engine.syncDirectory(root);
        }
    }

    private void write(Path path, boolean create, boolean sync) throws IOException {
        Set<OpenMode> modes = create ? EnumSet.of(WRITE, CREATE, TRUNCATE) : EnumSet.of(WRITE);
        try (BlockFile file = engine.open(path, modes)) {
            file.write(text(NEW), 0);
            if (sync) {
                file.sync();
            }
        }
    }

    private static String outcome(Path left) throws IOException {
        boolean old = Files.exists(left.resolve("old"));
        boolean made = Files.exists(left.resolve("new"));
        boolean damaged = (old && !List.of(OLD, NEW).contains(Files.readString(left.resolve("old"))))
                || (made && !Files.readString(left.resolve("new")).equals(NEW));
        if (damaged) {
            return "damaged";
        } else if (old && made) {
            return "both";
        }
        return old ? "old" : made ? "new" : "nothing";
    }

    /** The model of the file system in the journal against the real one. */
    @Tag("exhaustive")
    @Test
    void replaysTheWholeJournalToWhatIsReallyThere() throws IOException {
        for (int round = 0; round < 30; round++) {
            long seed = System.nanoTime();
            System.out.println("seed: " + seed);
            Random random = new Random(seed);
            Path area = Files.createTempDirectory(folder, "random");
            root = Files.createDirectory(area.resolve("root"));
            Files.writeString(Files.createDirectory(root.resolve("d0")).resolve("f0"), OLD);
            CrashJournal journal = engine.record(root);
            for (int i = 0; i < 200; i++) {
                changeSomething(random);
            }
            Path replayed = area.resolve("replayed");
            journal.replay(journal.size(), replayed, Crash.KILL, random);
            assertThat(tree(replayed)).isEqualTo(tree(root));
            syncAll();
            journal.replay(journal.size(), area.resolve("synced"), Crash.POWER_LOSS, random);
            assertThat(tree(area.resolve("synced"))).isEqualTo(tree(root));
        }
    }

    private void changeSomething(Random random) throws IOException {
        Path a = root.resolve("d" + random.nextInt(3)).resolve("f" + random.nextInt(3));
        Path b = root.resolve("d" + random.nextInt(3)).resolve("f" + random.nextInt(3));
        switch (random.nextInt(5)) {
            case 0 -> engine.createDirectories(a.getParent());
            case 1 -> engine.delete(a);
            case 2 -> {
                if (Files.exists(a) && Files.exists(b.getParent())) {
                    engine.rename(a, b);
                }
            }
            case 3 -> {
                Path c = root.resolve("d" + random.nextInt(3));
                if (Files.exists(c)) {
                    engine.syncDirectory(c);
                }
            }
            default -> changeFile(a, random);
        }
    }

    private void changeFile(Path path, Random random) throws IOException {
        if (!Files.exists(path.getParent())) {
            return;
        }
        Set<OpenMode> modes = EnumSet.of(READ, WRITE, CREATE);
        if (random.nextInt(4) == 0) {
            modes.add(TRUNCATE);
        }
        try (BlockFile file = engine.open(path, modes)) {
            byte[] content = new byte[1 + random.nextInt(2000)];
            random.nextBytes(content);
            ByteBuffer source =
                    ByteBuffer.allocateDirect(content.length).put(content).flip();
            file.write(source, random.nextInt(3000));
            file.truncate(random.nextInt(6000));
            file.allocate(random.nextInt(6000));
            // Not awaited: closing is what ends it.
            PendingWrite write = file.startWrite(source, 3000 + random.nextInt(3000));
            if (random.nextBoolean()) {
                write.await();
                file.sync();
            }
        }
    }

    private void syncAll() throws IOException {
        List<Path> paths = new ArrayList<>();
        try (var walk = Files.walk(root)) {
            walk.forEach(paths::add);
        }
        for (Path path : paths) {
            if (Files.isDirectory(path)) {
                engine.syncDirectory(path);
            } else {
                try (BlockFile file = engine.open(path, EnumSet.of(READ))) {
                    file.sync();
                }
            }
        }
    }

    private static Map<String, String> tree(Path top) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        List<Path> paths;
        try (var walk = Files.walk(top)) {
            paths = walk.toList();
        }
        for (Path path : paths) {
            tree.put(
                    top.relativize(path).toString(),
                    Files.isDirectory(path)
                            ? "directory"
                            : "file " + Files.size(path) + " " + Arrays.hashCode(Files.readAllBytes(path)));
        }
        return tree;
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void assertInjected(String errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(DrumlinException.class, failure -> assertThat(failure.errno())
                        .isEqualTo(errno))
                .hasMessageContaining("injected");
    }
}
