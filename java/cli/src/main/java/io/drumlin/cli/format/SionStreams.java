package io.drumlin.cli.format;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.ByteSource;
import io.drumlin.sion.KeyValueReader;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Copies the data of tasks of a SION file. */
public final class SionStreams {

    private static final int BUFFER = 1 << 20;

    private SionStreams() {}

    /** Copies all bytes of a task from its current position on. */
    public static void copy(SionReader reader, OutputStream target, LongConsumer progress) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.read(part.clear()) > 0) {
            target.write(part.array(), 0, part.position());
            progress.accept(part.position());
        }
    }

    /** Copies the rest of the current block of a task. */
    public static void copyBlock(SionReader reader, OutputStream target) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.bytesAvailableInBlock() > 0) {
            reader.read(part.clear().limit((int) Math.min(BUFFER, reader.bytesAvailableInBlock())));
            target.write(part.array(), 0, part.position());
        }
    }

    /** Copies all values of a key from its current position on. */
    public static void copy(KeyValueReader reader, long key, OutputStream target, LongConsumer progress)
            throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        while (reader.read(key, part.clear()) >= 0) {
            target.write(part.array(), 0, part.position());
            progress.accept(part.position());
        }
    }

    /** The bytes of a task. The stream is opened when it is read, and closed at its end, because sets have many. */
    static final class OfTask implements ByteSource {

        private final SionInput set;
        private final int task;
        private final long size;

        OfTask(SionInput set, int task) throws IOException {
            this.set = set;
            this.task = task;
            try (SionReader reader = set.newReader(task)) {
                size = reader.size();
            }
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            SionReader reader = set.reader(task);
            reader.position(offset);
            while (target.hasRemaining()) {
                if (reader.read(target) < 0) {
                    throw new EOFException("task " + task + " ends before " + reader.position());
                }
            }
            if (reader.position() == size) {
                reader.close();
            }
        }
    }

    /** The values of a key, joined. */
    static final class OfKey implements ByteSource {

        private final KeyValueReader reader;
        private final long key;
        private final long size;
        private long next;

        private OfKey(KeyValueReader reader, long key, long size) {
            this.reader = reader;
            this.key = key;
            this.size = size;
        }

        /** Returns those of all keys of a task, in the order of their first records. */
        static List<OfKey> all(SionInput set, int task) throws IOException {
            KeyValueReader reader = set.keyValueReader(task);
            List<OfKey> all = new ArrayList<>();
            for (long key : reader.keys()) {
                all.add(new OfKey(
                        reader, key, reader.statistics(key).orElseThrow().size()));
            }
            return all;
        }

        static OfKey of(SionInput set, int task, long key, Path path) throws IOException {
            if (!set.header().keyValue()) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED, path + " holds plain streams, not records with keys");
            }
            KeyValueReader reader = set.keyValueReader(task);
            KeyValueReader.Statistics values = reader.statistics(key)
                    .orElseThrow(() -> new CommandException(
                            ExitCode.NOT_RECOGNISED,
                            path + ": task " + task + " has no key " + Long.toUnsignedString(key)));
            return new OfKey(reader, key, values.size());
        }

        /** As selections name a key: unsigned. */
        String name() {
            return Long.toUnsignedString(key);
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            if (offset != next) {
                reader.seek(key, offset);
            }
            next = offset + target.remaining();
            while (target.hasRemaining()) {
                if (reader.read(key, target) < 0) {
                    throw new EOFException("key " + Long.toUnsignedString(key) + " has too few bytes");
                }
            }
        }
    }
}
