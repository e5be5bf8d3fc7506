package io.drumlin.cli.file;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.Progress;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalInt;

/** A file with data that can be selected. */
public interface DataFile {

    /** Work on a file, and of a run on that of a rank. */
    @FunctionalInterface
    interface Work<T> {
        T on(DataFile file, OptionalInt rank) throws IOException;
    }

    /** Work on selected data of a file. */
    @FunctionalInterface
    interface Action<T> {
        T run(DataFile file, StoredData selected) throws IOException;
    }

    /** Returns format, layout and kind in one line. */
    String title();

    /**
     * Returns all data that can be selected.
     *
     * @throws CommandException the file has no data
     * @throws IOException the metadata cannot be read, or are damaged
     */
    List<StoredData> data() throws IOException;

    /** Returns how many parts the data have, so that not all of them are in memory at a time. */
    default int parts() throws IOException {
        return 1;
    }

    /**
     * Returns the data of a part.
     *
     * @param number 0 to {@link #parts} - 1
     * @throws IOException as {@link #data}
     */
    default List<StoredData> part(int number) throws IOException {
        return data();
    }

    /**
     * Returns selected data.
     *
     * @throws CommandException the file does not have them
     * @throws IOException the metadata cannot be read, or are damaged
     */
    StoredData select(Selection selection) throws IOException;

    /** Returns the bytes that {@link #check} reads. */
    default long checkedBytes() {
        return 0;
    }

    /**
     * Verifies the digests that are not of single pieces of the data.
     *
     * @param source the file
     * @throws IOException it cannot be read, or is damaged
     */
    default void check(ByteSource source, List<StoredData> wanted) throws IOException {}

    /**
     * Returns the digests of the blocks of which the file consists, if {@link #check} only compares these.
     *
     * @return blocks in their order; empty if there are none, or other digests
     */
    default List<Block> digestsInOrder() {
        return List.of();
    }

    /**
     * The block of a rank.
     *
     * @param digest lower-case hexadecimal
     * @param striped whether it is a striped MD5
     */
    record Block(Range range, String digest, boolean striped) {

        public Finding damage(String computed) {
            return new Finding(
                    striped ? "drumlin_striped_checksum" : "ckpt_checksum",
                    range.offset(),
                    "is " + Printable.text(digest) + " in the metadata, the block has " + computed);
        }
    }

    /** A place for each of several data. */
    @FunctionalInterface
    interface Target {

        /** Takes data, of which {@code copy} writes the bytes to a stream and verifies their digests. */
        void take(StoredData data, Copy copy) throws IOException;
    }

    /** Copies the bytes of data. */
    @FunctionalInterface
    interface Copy {
        void to(OutputStream target) throws IOException;
    }

    /** Copies data and verifies the digests that they have. */
    default void copy(List<StoredData> wanted, Target target) throws IOException {
        if (wanted.isEmpty()) {
            return;
        }
        long bytes = checkedBytes()
                + wanted.stream().mapToLong(StoredData::readBytes).sum();
        try (Progress progress = Progress.of(bytes, "extract")) {
            check(WatchedSource.of(wanted.get(0).source(), progress), wanted);
            for (StoredData data : wanted) {
                target.take(data, stream -> data.copyTo(WatchedSource.of(data.source(), progress), stream));
            }
        }
    }
}
