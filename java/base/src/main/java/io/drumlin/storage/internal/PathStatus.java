package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
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

    /** Far larger than any text. It keeps a wrong path from filling the memory. */
    private static final long MOST_TEXT = 64L << 20;

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

    /**
     * Refuses what is neither a file nor a directory: to open a pipe waits for another process, and a device can have
     * bytes without end.
     *
     * @param path the path that is going to be opened; nothing need be there
     * @throws IOException a pipe, socket or device is there; the failure proves that it is no file of a run
     */
    public static void requireNoDevice(Path path) throws IOException {
        if (attributes(path).filter(BasicFileAttributes::isOther).isPresent()) {
            throw DrumlinException.during("open")
                    .path(path)
                    .problem("it is a pipe, a socket or a device, not a file")
                    .advice("put the file back from a copy, or delete what is there")
                    .exception();
        }
    }

    /**
     * Reads a small text file as a whole, after a look at its type and size. All texts that Drumlin reads are read here.
     *
     * @param path the path of the file
     * @return its text; bytes that are not UTF-8 are kept unchanged, because only ASCII characters matter
     * @throws NoSuchFileException nothing has that name
     * @throws IOException it is no file, is larger than 64 MiB, or cannot be read
     */
    public static String readText(Path path) throws IOException {
        return readText(path, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reads a small text file like {@link #readText(Path)}.
     *
     * @param path the path of the file
     * @param charset how the letters are encoded
     * @return its text
     * @throws NoSuchFileException nothing has that name
     * @throws IOException it is no file, is larger than 64 MiB, or cannot be read
     */
    public static String readText(Path path, Charset charset) throws IOException {
        requireNoDevice(path);
        long size = Files.size(path);
        if (size > MOST_TEXT) {
            throw DrumlinException.during("read")
                    .path(path)
                    .range(0, size)
                    .problem("this is no text file of Drumlin or of its user: the limit is " + MOST_TEXT + " bytes")
                    .advice("put the file back from a copy")
                    .exception();
        }
        return Files.readString(path, charset);
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
