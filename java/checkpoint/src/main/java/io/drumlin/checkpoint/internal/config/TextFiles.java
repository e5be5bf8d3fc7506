package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.FileReplacement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;

/** Reads and replaces the small text files of a run as a whole. */
public final class TextFiles {

    private TextFiles() {}

    /** Reads a text. Bytes that are not UTF-8 are kept unchanged, because only ASCII characters matter here. */
    public static String read(Path path) throws IOException {
        try {
            return PathStatus.readText(path);
        } catch (NoSuchFileException e) {
            throw DrumlinException.during("open")
                    .path(path)
                    .errno("ENOENT")
                    .problem("no such file")
                    .cause(e)
                    .exception();
        } catch (DrumlinException e) {
            throw e;
        } catch (IOException e) {
            throw IoFailures.explain("read", path, e);
        }
    }

    /** Replaces a file so that a crash leaves the old content or the new, and makes it durable. */
    public static void replace(Path path, String text, StorageEngine storage) throws IOException {
        replace(path, ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)), storage);
    }

    /**
     * Replaces a file that several writers may replace at the same time; otherwise like
     * {@link #replace(Path, String, StorageEngine)}.
     */
    public static void replace(Path path, String text, String writer, StorageEngine storage) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
        FileReplacement.replace(storage, path, bytes, ".new-" + writer);
    }

    /**
     * Replaces a file by the remaining bytes of a buffer; otherwise like {@link #replace(Path, String, StorageEngine)}.
     */
    public static void replace(Path path, ByteBuffer bytes, StorageEngine storage) throws IOException {
        FileReplacement.replace(storage, path, bytes, ".new");
    }

    /** Makes the present content of a file durable, which a killed process may have left unsynced. */
    public static void sync(Path path, StorageEngine storage) throws IOException {
        Path target;
        try {
            target = path.toRealPath();
        } catch (IOException e) {
            throw IoFailures.explain("sync", path, e);
        }
        try (BlockFile file = storage.open(target, EnumSet.of(OpenMode.READ))) {
            file.sync();
        }
        storage.syncDirectory(Objects.requireNonNull(target.getParent(), "a file has a directory"));
    }
}
