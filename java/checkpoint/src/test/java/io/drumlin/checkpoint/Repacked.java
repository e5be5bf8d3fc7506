package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.hdf5.Hdf5Tools;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Files that the library's h5repack has written again. */
public final class Repacked {

    /** More than any of the files have. */
    private static final long MOST_BYTES = 10_000_000;

    private static final String CACHE = "org.bytedeco.javacpp.cachedir";

    private Repacked() {}

    /**
     * JavaCPP unpacks the library, for all tests of this process, into one directory, which it remembers. The dependency
     * is the one for Linux on x86_64.
     */
    public static void requireLibrary() throws IOException {
        if (System.getProperty(CACHE) == null) {
            Path cache = Files.createTempDirectory("drumlin-javacpp");
            System.setProperty(CACHE, cache.toString());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(cache)));
        }
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "there is no library for this platform");
    }

    private static void delete(Path cache) {
        try (Stream<Path> files = Files.walk(cache)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException stays) {
            System.err.println(cache + " stays: " + stays);
        }
    }

    /** Writes a file again, in its place. */
    public static void repack(Path file, String options) throws IOException {
        Path packed = file.resolveSibling("packed.h5");
        List<String> command = new ArrayList<>(List.of("h5repack"));
        command.addAll(List.of(options.split(" ")));
        command.addAll(List.of(file.toString(), packed.toString()));
        Hdf5Tools.run(command.toArray(String[]::new));
        Files.move(packed, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Writes the files of all ranks again, and describes them in the metadata of their groups.
     *
     * @param directory holds those of the run
     * @param digested whether the metadata get the digests of the new files; otherwise they are those of C FTI
     */
    public static void repack(Path directory, String options, boolean digested) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.filter(Files::isRegularFile).toList();
        }
        for (Path file : all) {
            // Files of level 3's code have the ending, but are not HDF5.
            if (file.toString().matches(".*-(Rank|Pcof)\\d+\\.h5")) {
                repack(file, options);
            }
        }
        for (Path metadata : all) {
            if (metadata.getFileName().toString().matches("sector\\d+-group\\d+\\.fti")) {
                describe(metadata, all, digested);
            }
        }
    }

    private static void describe(Path path, List<Path> all, boolean digested) throws IOException {
        GroupMetadata old = GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path))));
        List<FileEntry> files = new ArrayList<>();
        for (FileEntry entry : old.files()) {
            Path file = find(all, entry.name());
            files.add(new FileEntry(
                            entry.name(),
                            Files.size(file),
                            MOST_BYTES,
                            "",
                            entry.variables(),
                            entry.layers(),
                            null,
                            null,
                            null,
                            -1)
                    .withOwnChecksum(digested ? md5(file) : null));
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        old.withFiles(files).write(text);
        String written = text.toString(StandardCharsets.ISO_8859_1);
        // C FTI knows neither the keys of Drumlin nor the seal.
        String bare = written.replaceAll("(?m)^drumlin_.*\n", "").replaceAll("\\[drumlin]\nseal.*\n\n", "");
        Files.writeString(path, digested ? written : bare, StandardCharsets.ISO_8859_1);
    }

    private static Path find(List<Path> files, String name) {
        List<Path> matching = files.stream().filter(each -> each.endsWith(name)).toList();
        assertThat(matching).as(name).hasSize(1);
        return matching.get(0);
    }

    private static String md5(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
