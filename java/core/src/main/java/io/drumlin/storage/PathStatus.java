package io.drumlin.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether something has a path, and what is in a directory. {@link Files#exists} and its like say no also where the file
 * system has failed or denies the look; here that is a failure, so that nobody takes a file for lost that is there. Links are
 * followed.
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

    /**
     * What is in a directory.
     *
     * @param directory what is looked into
     * @return paths in the order of their names; none if there is nothing of that name
     * @throws IOException it is no directory, or what is in it cannot be told
     */
    public static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw IoFailures.explain("listing the directory", directory, e);
        } catch (UncheckedIOException e) {
            throw IoFailures.explain("listing the directory", directory, Objects.requireNonNull(e.getCause()));
        }
    }

    /**
     * What is known of something that is there.
     *
     * @param path of it
     * @return its attributes
     * @throws IOException there is nothing, or it cannot be told; with words
     */
    public static BasicFileAttributes read(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (IOException e) {
            throw IoFailures.explain("stat", path, e);
        }
    }

    /**
     * How many bytes a file has.
     *
     * @param path of the file
     * @return its length
     * @throws IOException there is none, or it cannot be told; with words
     */
    public static long size(Path path) throws IOException {
        return read(path).size();
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
            throw IoFailures.explain("stat", path, e);
        }
    }
}
