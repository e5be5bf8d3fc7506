package io.drumlin.cli.diff;

import io.drumlin.cli.base.Progress;
import io.drumlin.cli.diff.ComparedPair.Part;
import io.drumlin.cli.diff.VerifiedReader.Round;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.file.WatchedSource;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.StorageEngine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Compares pairs of data of two files, several parts side by side. Both files are read and their digests verified at the same
 * time, so that each byte is read once. Bytes are compared before the digest of their piece is known. A wrong digest is
 * an exception, after which no result counts.
 */
final class PairComparison {

    private static final long SMALL = 1 << 20;

    private final VerifiedReader a;
    private final VerifiedReader b;
    private final Iterator<Part> parts;
    private final Progress progress;
    private final List<Optional<Part>> lanes;

    private PairComparison(VerifiedReader a, VerifiedReader b, int lanes, Iterator<Part> parts, Progress progress) {
        this.a = a;
        this.b = b;
        this.parts = parts;
        this.progress = progress;
        this.lanes = new ArrayList<>(Collections.nCopies(lanes, Optional.empty()));
    }

    /**
     * A round of both sides.
     *
     * @param parts the parts to which its lanes belong
     */
    private record Both(List<Optional<Part>> parts, Round a, Round b) {}

    /** Work that can fail. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /**
     * Compares pairs.
     *
     * @param pairs pairs in the order in which they are in the first file
     * @throws IOException a file cannot be read, or is damaged
     */
    static void compare(
            StorageEngine storage, DataFile fileA, DataFile fileB, List<ComparedPair> pairs, Progress progress)
            throws IOException {
        if (pairs.isEmpty()) {
            return;
        }
        List<StoredData> ofA = pairs.stream().map(ComparedPair::a).toList();
        List<StoredData> ofB = pairs.stream().map(ComparedPair::b).toList();
        if (isSmall(fileA, ofA) && isSmall(fileB, ofB)) {
            compareSmall(fileA, fileB, pairs, progress);
            return;
        }
        Optional<WholeDigest> wholeA = verification(fileA, ofA, progress);
        Optional<WholeDigest> wholeB = verification(fileB, ofB, progress);
        boolean inOrder = wholeA.isPresent() || wholeB.isPresent();
        int lanes = inOrder ? 1 : lanes(pairs);
        long largest = pairs.stream()
                .mapToLong(pair -> pair.largestPart(!inOrder))
                .max()
                .orElse(0);
        int piece = VerifiedReader.piece(lanes, largest);
        try (VerifiedReader a = VerifiedReader.of(storage, ofA.get(0).source(), lanes, piece, wholeA);
                VerifiedReader b = VerifiedReader.of(storage, ofB.get(0).source(), lanes, piece, wholeB)) {
            Stream<Part> parts = pairs.stream().flatMap(pair -> pair.parts(!inOrder).stream());
            new PairComparison(a, b, lanes, parts.iterator(), progress).run();
        }
    }

    private static int lanes(List<ComparedPair> pairs) {
        int count = 0;
        for (int i = 0; i < pairs.size() && count < Md5Lanes.LANES; i++) {
            count += pairs.get(i).partCount();
        }
        return Math.min(count, Md5Lanes.LANES);
    }

    private static boolean isSmall(DataFile file, List<StoredData> data) {
        return file.checkedBytes() + data.stream().mapToLong(StoredData::size).sum() <= SMALL;
    }

    /** Reads one after the other: threads and memory of their own would take longer than the reading. */
    private static void compareSmall(DataFile fileA, DataFile fileB, List<ComparedPair> pairs, Progress progress)
            throws IOException {
        List<byte[]> ofA = read(fileA, pairs.stream().map(ComparedPair::a).toList(), progress);
        List<byte[]> ofB = read(fileB, pairs.stream().map(ComparedPair::b).toList(), progress);
        for (int i = 0; i < pairs.size(); i++) {
            pairs.get(i).errors().compare(ValueType.littleEndian(ofA.get(i)), ValueType.littleEndian(ofB.get(i)));
        }
    }

    private static List<byte[]> read(DataFile file, List<StoredData> data, Progress progress) throws IOException {
        file.check(WatchedSource.of(data.get(0).source(), progress), data);
        List<byte[]> contents = new ArrayList<>();
        for (StoredData each : data) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream((int) each.size());
            each.copyTo(WatchedSource.of(each.source(), progress), bytes);
            contents.add(bytes.toByteArray());
        }
        return contents;
    }

    /** Reads the file now, if it has digests that the reader cannot verify. */
    private static Optional<WholeDigest> verification(DataFile file, List<StoredData> data, Progress progress)
            throws IOException {
        List<DataFile.Block> digests = file.digestsInOrder();
        if (!digests.isEmpty() && data.get(0).source() instanceof FileSource source) {
            return Optional.of(new WholeDigest(source, digests));
        }
        file.check(WatchedSource.of(data.get(0).source(), progress), data);
        return Optional.empty();
    }

    private void run() throws IOException {
        Optional<Both> now = next();
        while (now.isPresent()) {
            Both round = now.get();
            progress.advance(a.await(round.a) + b.await(round.b));
            now = next();
            atOnce(() -> a.verify(round.a), () -> b.verify(round.b));
            compare(round);
        }
        atOnce(a::finish, b::finish);
    }

    /** Begins to read the next round, with further parts in the lanes that are at an end. */
    private Optional<Both> next() throws IOException {
        boolean any = false;
        for (int lane = 0; lane < lanes.size(); lane++) {
            while (isFree(lane) && parts.hasNext()) {
                Part part = parts.next();
                int unit = part.errors().type().size();
                a.open(lane, part.a(), unit);
                b.open(lane, part.b(), unit);
                lanes.set(lane, Optional.of(part));
            }
            any |= !isFree(lane);
        }
        return any ? Optional.of(new Both(List.copyOf(lanes), a.start(), b.start())) : Optional.empty();
    }

    private boolean isFree(int lane) {
        return a.isAtEnd(lane) && b.isAtEnd(lane);
    }

    private static void compare(Both round) {
        for (int i = 0; i < round.parts.size(); i++) {
            int lane = i;
            round.parts.get(lane).ifPresent(part -> part.errors().compare(round.a.bytes(lane), round.b.bytes(lane)));
        }
    }

    /** Does both at the same time, and waits for both even if one fails. */
    private static void atOnce(Work one, Work another) throws IOException {
        CompletableFuture<Optional<IOException>> other = CompletableFuture.supplyAsync(() -> failure(another));
        Optional<IOException> failed;
        try {
            failed = failure(one);
        } finally {
            other.join();
        }
        failed = failed.or(other::join);
        if (failed.isPresent()) {
            throw failed.get();
        }
    }

    private static Optional<IOException> failure(Work work) {
        try {
            work.run();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }
}
