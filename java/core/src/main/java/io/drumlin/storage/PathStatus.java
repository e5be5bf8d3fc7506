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
 * Tells whether a path exists, and what a directory contains. {@link Files#exists} and similar methods also return
 * false if the file system has failed or denies access. These methods throw instead, so that nobody takes an existing
 * file for lost. They follow links.
 */
public final class PathStatus {

    private PathStatus() {}

    /**
     * Returns whether a path exists.
     *
     * @param path the path to look for
     * @return false if nothing has that name, or a part of the path is not a directory
     * @throws IOException the existence cannot be determined
     */
    public static boolean exists(Path path) throws IOException {
        return attributes(path).isPresent();
    }

    /**
     * Returns whether a path is a regular file.
     *
     * @param path the path to look for
     * @return false also if there is something else
     * @throws IOException this cannot be determined
     */
    public static boolean isRegularFile(Path path) throws IOException {
        return attributes(path).filter(BasicFileAttributes::isRegularFile).isPresent();
    }

    /**
     * Returns whether a path is a directory.
     *
     * @param path the path to look for
     * @return false also if there is something else
     * @throws IOException this cannot be determined
     */
    public static boolean isDirectory(Path path) throws IOException {
        return attributes(path).filter(BasicFileAttributes::isDirectory).isPresent();
    }

    /**
     * Lists the contents of a directory.
     *
     * @param directory the directory to read
     * @return paths in the order of their names; none if nothing has that name
     * @throws IOException the path is not a directory, or its contents cannot be read
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
     * Reads the attributes of a path that exists.
     *
     * @param path the path to look at
     * @return its attributes
     * @throws IOException nothing is there, or this cannot be determined; the message explains
     */
    public static BasicFileAttributes read(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (IOException e) {
            throw IoFailures.explain("stat", path, e);
        }
    }

    /**
     * Returns the length of a file.
     *
     * @param path the path of the file
     * @return its length in bytes
     * @throws IOException there is no file, or its length cannot be determined; the message explains
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
