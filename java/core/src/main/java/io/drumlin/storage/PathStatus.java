package io.drumlin.storage;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Whether something has a path. {@link Files#exists} and its like say no also where the file system has failed or denies the
 * look; here that is a failure, so that nobody takes a file for lost that is there. Links are followed.
 */
public final class PathStatus {

    private PathStatus() {}

    /**
     * Whether there is anything.
     *
     * @param path what is looked for
     * @return false if there is nothing of that name, or a part of the path is no directory
     * @throws IOException that cannot be told
     */
    public static boolean exists(Path path) throws IOException {
        return attributes(path).isPresent();
    }

    /**
     * Whether there is a regular file.
     *
     * @param path what is looked for
     * @return false also if there is something else
     * @throws IOException that cannot be told
     */
    public static boolean isRegularFile(Path path) throws IOException {
        return attributes(path).filter(BasicFileAttributes::isRegularFile).isPresent();
    }

    /**
     * Whether there is a directory.
     *
     * @param path what is looked for
     * @return false also if there is something else
     * @throws IOException that cannot be told
     */
    public static boolean isDirectory(Path path) throws IOException {
        return attributes(path).filter(BasicFileAttributes::isDirectory).isPresent();
    }

    private static Optional<BasicFileAttributes> attributes(Path path) throws IOException {
        try {
            return Optional.of(Files.readAttributes(path, BasicFileAttributes.class));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (!IoFailures.mayPass(e)) {
                return Optional.empty();
            }
            throw Errno.explain(DrumlinException.during("stat").path(path), e, "");
        }
    }
}
