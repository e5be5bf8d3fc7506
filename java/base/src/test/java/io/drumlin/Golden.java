package io.drumlin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Finds the files that the C originals wrote. {@code java/golden/cases} has them in a {@code files.zip} per case; here they are
 * plain files, in a folder below {@code build/golden} that is named by a digest of all that is in the cases.
 */
public final class Golden {

    private static final String MANIFEST = "manifest.json";
    private static final String ZIP = "files.zip";

    private Golden() {}

    /**
     * A file or folder of the golden cases, or of the plain folder that {@code -Ddrumlin.golden} names instead.
     *
     * @param names the way to it, for example {@code "sion"} or {@code "gsd", "v10_names", "file.gsd"}
     * @return its path
     * @throws AssertionError it is not there: a test never does without
     */
    public static Path path(String... names) {
        Path path = Path.of(Root.FOLDER.toString(), names);
        if (!Files.exists(path)) {
            throw new AssertionError(
                    "There is no golden file " + path + ". The golden cases are in java/golden/cases of a"
                            + " whole clone; -Ddrumlin.golden=DIR names another folder with them.");
        }
        return path;
    }

    /**
     * Prints the folder of the plain files. With a folder as argument: packs all cases in it whose files are plain.
     *
     * @param arguments the folder, or nothing
     * @throws IOException a file cannot be read or written
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 0) {
            System.out.println(Root.FOLDER);
            return;
        }
        for (Path manifest : files(Path.of(arguments[0]))) {
            if (manifest.endsWith(MANIFEST)) {
                pack(manifest.toAbsolutePath().getParent());
            }
        }
    }

    /** Once per JVM. */
    private static final class Root {

        private static final Path FOLDER = find();

        /** Also for tests that an IDE starts, in whatever folder of the repository. */
        private static Path find() {
            String named = System.getProperty("drumlin.golden", "");
            for (Path folder = Path.of(System.getProperty("drumlin.root", "")).toAbsolutePath();
                    folder != null;
                    folder = folder.getParent()) {
                Path cases = folder.resolve("java/golden/cases");
                try {
                    if (Files.isDirectory(cases) && (named.isEmpty() || Files.isSameFile(cases, Path.of(named)))) {
                        return unpacked(cases, folder.resolve("build/golden"));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return Path.of(named);
        }
    }

    /** Unpacks the cases where that was not done before. A folder appears when it is complete, whoever else unpacks. */
    static Path unpacked(Path cases, Path build) throws IOException {
        List<Path> files = files(cases);
        MessageDigest digest = sha256();
        for (Path file : files) {
            byte[] bytes = Files.readAllBytes(file);
            digest.update((cases.relativize(file) + "\0" + bytes.length + "\0").getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
        }
        Path folder = build.resolve(HexFormat.of().formatHex(digest.digest(), 0, 8));
        if (Files.isDirectory(folder)) {
            return folder;
        }
        Path scratch = build.resolve("unpacking-" + UUID.randomUUID());
        try {
            for (Path file : files) {
                place(file, scratch.resolve(cases.relativize(file).toString()));
            }
            Files.move(scratch, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            delete(scratch);
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        return folder;
    }

    private static void place(Path file, Path copy) throws IOException {
        Files.createDirectories(copy.getParent());
        try {
            if (file.endsWith(ZIP)) {
                unpack(file, copy.getParent());
            } else {
                Files.copy(file, copy);
            }
        } catch (FileAlreadyExistsException e) {
            throw new IOException(
                    file.getParent() + " has plain files that are also in its " + ZIP + ": delete either", e);
        }
    }

    private static void unpack(Path zip, Path folder) throws IOException {
        try (InputStream in = Files.newInputStream(zip);
                ZipInputStream entries = new ZipInputStream(in)) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(entries, file);
            }
        }
    }

    /** Moves all files of a case but its manifest into {@code files.zip}: the same files always make the same bytes. */
    static void pack(Path folder) throws IOException {
        Path zip = folder.resolve(ZIP);
        List<Path> files = files(folder).stream()
                .filter(file -> !file.equals(folder.resolve(MANIFEST)))
                .toList();
        if (files.isEmpty() || files.equals(List.of(zip))) {
            return;
        }
        if (files.stream().anyMatch(file -> file.endsWith(MANIFEST))) {
            throw new IOException(folder + " has a case within a case");
        }
        if (files.contains(zip)) {
            throw new IOException(folder + " has plain files and " + ZIP + ": unpack that, or delete either");
        }
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            // Not compressed: git does that, finds what cases share, and depends on no release of a library.
            out.setMethod(ZipOutputStream.STORED);
            for (Path file : files) {
                byte[] bytes = Files.readAllBytes(file);
                CRC32 sum = new CRC32();
                sum.update(bytes);
                ZipEntry entry = new ZipEntry(folder.relativize(file).toString());
                entry.setTimeLocal(LocalDateTime.of(1980, 1, 1, 0, 0));
                entry.setSize(bytes.length);
                entry.setCrc(sum.getValue());
                out.putNextEntry(entry);
                out.write(bytes);
            }
        }
        for (Path file : files) {
            delete(folder.resolve(folder.relativize(file).getName(0)));
        }
    }

    /** All files below a folder, in an order that no file system chooses. Links and the like would not come back as they were. */
    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            List<Path> files = paths.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
            for (Path file : files) {
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException(file + " is neither a plain file nor a folder: no case can have that");
                }
            }
            return files;
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
