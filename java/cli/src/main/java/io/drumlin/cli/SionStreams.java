package io.drumlin.cli;

import io.drumlin.sion.KeyValueReader;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/** Copies the data of tasks of a SION file. */
final class SionStreams {

    private static final int BUFFER = 1 << 20;

    private SionStreams() {}

    /** Copies all bytes of a task from its current position on. */
    static void copy(SionReader reader, OutputStream target, LongConsumer progress) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.read(part.clear()) > 0) {
            target.write(part.array(), 0, part.position());
            progress.accept(part.position());
        }
    }

    /** Copies the rest of the current block of a task. */
    static void copyBlock(SionReader reader, OutputStream target) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.bytesAvailableInBlock() > 0) {
            reader.read(part.clear().limit((int) Math.min(BUFFER, reader.bytesAvailableInBlock())));
            target.write(part.array(), 0, part.position());
        }
    }

    /** Copies all values of a key. */
    static void copy(SionInput set, int task, long key, OutputStream target, Path path) throws IOException {
        if (!set.header().keyValue()) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, path + " holds plain streams, not records with keys");
        }
        KeyValueReader reader = set.keyValueReader(task);
        KeyValueReader.Statistics values = reader.statistics(key)
                .orElseThrow(() -> new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        path + ": task " + task + " has no key " + Long.toUnsignedString(key)));
        try (Progress progress = Progress.of(values.size(), "extract")) {
            copy(reader, key, target, progress::advance);
        }
    }

    /** Copies all values of a key from its current position on. */
    static void copy(KeyValueReader reader, long key, OutputStream target, LongConsumer progress) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.read(key, part.clear()) >= 0) {
            target.write(part.array(), 0, part.position());
            progress.accept(part.position());
        }
    }
}
