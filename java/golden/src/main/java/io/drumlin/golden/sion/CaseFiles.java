package io.drumlin.golden.sion;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The files of a case, unpacked to a temporary directory where they come in an archive.
 *
 * @param directory where they are
 * @param temporary whether {@link #close} deletes them
 */
record CaseFiles(Path directory, boolean temporary) implements Closeable {

    /** Sparse files come in an archive. */
    private static final String ARCHIVE = "files.tar.xz";

    static CaseFiles of(Path directory) throws IOException {
        Path archive = directory.resolve(ARCHIVE);
        if (!Files.exists(archive)) {
            return new CaseFiles(directory, false);
        }
        CaseFiles files = new CaseFiles(Files.createTempDirectory("drumlin-golden"), true);
        try {
            unpack(archive, files.directory);
            return files;
        } catch (IOException e) {
            files.close();
            throw e;
        }
    }

    private static void unpack(Path archive, Path target) throws IOException {
        Process tar = new ProcessBuilder("tar", "-xJf", archive.toString(), "-C", target.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (tar.waitFor() != 0) {
                throw new IOException("tar cannot unpack " + archive + ": " + output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while tar was unpacking " + archive, e);
        }
    }

    @Override
    public void close() throws IOException {
        if (temporary) {
            delete(directory);
        }
    }

    static void delete(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }
}
