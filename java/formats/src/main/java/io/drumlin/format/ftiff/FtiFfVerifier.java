package io.drumlin.format.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.internal.FindingSink;
import io.drumlin.format.internal.Findings;
import io.drumlin.format.internal.RangeDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Checks the data of a file against its digests; docs/formats/fti-ff.md, sections 4 and 8. It reads every chunk once.
 * In layouts A and B, whose checksum is not computed from the hashes, it reads every chunk again. For a damaged file it
 * reads at most twice as much.
 *
 * <p>One instance verifies one file.
 */
public final class FtiFfVerifier {

    /** Number of chunks that are passed to the digester together. */
    private static final int BATCH = 1024;

    private static final HexFormat HEX = HexFormat.of();

    private final ByteSource source;
    private final FtiFfFile file;
    private final RangeDigester digester;

    /** The digests over hashes that {@code checksum} may equal: of stored or computed hashes, with content or all. */
    private final MessageDigest ofStored = Digests.md5();

    private final MessageDigest ofAllStored = Digests.md5();
    private final MessageDigest ofComputed = Digests.md5();
    private final MessageDigest ofAllComputed = Digests.md5();

    private final Reading reading;
    private final List<Chunk> batch = new ArrayList<>();
    private final List<Finding> mismatches = new ArrayList<>();

    /**
     * Prepares the check.
     *
     * @param source the file
     * @param file its metadata, which may have findings
     * @param digester computes the digests of chunks
     */
    public FtiFfVerifier(ByteSource source, FtiFfFile file, RangeDigester digester) {
        this.source = source;
        this.file = file;
        this.digester = digester;
        this.reading = new Reading(file, source.size());
    }

    /** A container with a known position in the file. */
    private record Chunk(VariableMeta container, long hashOffset) {}

    /**
     * Decides which chunks are read: those that are in the file, up to twice its size in total, because the containers
     * of a damaged file may overlap. If it refuses a chunk, the findings contain the reason.
     */
    private static final class Reading {

        private final long limit;
        private long left;

        Reading(FtiFfFile file, long size) {
            this.limit = file.layout().atEnd() ? file.meta().dataSize() : size;
            this.left = 2 * size;
        }

        /** Returns the range to read for a container. Must be called once for each container, in file order. */
        Optional<Range> next(VariableMeta container) {
            long length = container.chunkSize();
            if (!container.hasContent() || length < 0 || length > left) {
                return Optional.empty();
            }
            if (length == 0) {
                return Optional.of(new Range(0, 0)); // In layout B the file may end before the position of the chunk.
            }
            if (container.fptr() < 0 || container.fptr() > limit - length) {
                return Optional.empty();
            }
            left -= length;
            return Optional.of(new Range(container.fptr(), length));
        }
    }

    /**
     * Computes all digests and compares.
     *
     * @param problems receives a finding for each chunk whose hash differs, and one for the checksum
     * @throws IOException the source cannot be read, or {@code problems} threw it
     */
    public void verify(FindingSink problems) throws IOException {
        if (file.encoded()) {
            verifyEncoded(problems);
            return;
        }
        for (int b = 0; b < file.blocks().size(); b++) {
            List<VariableMeta> variables = file.blocks().get(b).variables();
            for (int v = 0; v < variables.size(); v++) {
                batch.add(new Chunk(variables.get(v), file.hashOffset(b, v)));
                if (batch.size() == BATCH) {
                    compareBatch();
                }
            }
        }
        compareBatch();
        report(problems);
    }

    private void verifyEncoded(FindingSink problems) throws IOException {
        Range encoded = new Range(0, file.recordOffset());
        String computed =
                HEX.formatHex(digester.digest(source, List.of(encoded)).get(0));
        if (!computed.equals(file.meta().checksum())) {
            problems.add(new Finding(
                    "checksum",
                    checksumOffset(),
                    "is " + printable(file.meta().checksum()) + ", the encoded bytes have " + computed));
        }
    }

    private void compareBatch() throws IOException {
        List<Optional<Range>> places =
                batch.stream().map(chunk -> reading.next(chunk.container)).toList();
        var digests = digester.digest(
                        source, places.stream().flatMap(Optional::stream).toList())
                .iterator();
        var place = places.iterator();
        for (Chunk chunk : batch) {
            byte[] stored = HEX.parseHex(chunk.container.hash());
            byte[] computed = place.next().isPresent() ? digests.next() : stored;
            ofAllStored.update(stored);
            ofAllComputed.update(computed);
            if (chunk.container.hasContent()) {
                ofStored.update(stored);
                ofComputed.update(computed);
            }
            if (!MessageDigest.isEqual(stored, computed) && mismatches.size() < Findings.LIMIT) {
                mismatches.add(mismatch(chunk, HEX.formatHex(computed)));
            }
        }
        batch.clear();
    }

    private static Finding mismatch(Chunk chunk, String computed) {
        VariableMeta container = chunk.container;
        return new Finding(
                "hash",
                chunk.hashOffset,
                "is " + container.hash() + ", the " + container.chunkSize() + " bytes at " + container.fptr()
                        + " (variable " + container.id() + ", container " + container.containerId() + ") have "
                        + computed);
    }

    private void report(FindingSink problems) throws IOException {
        boolean storedAreRight = matches(ofStored) || matches(ofAllStored);
        boolean computedAreRight = matches(ofComputed) || matches(ofAllComputed);
        String expected = "the digest over the hashes of the chunks is " + Digests.checksum(file.blocks());
        if (!file.layout().atEnd()) {
            Reading again = new Reading(file, source.size());
            String computed = Digests.ofRanges(
                    source,
                    file.layout().checksummed(source.size(), file.containers().filter(container -> again.next(container)
                            .isPresent())));
            storedAreRight = false;
            computedAreRight = computed.equals(file.meta().checksum());
            expected = (file.layout() == Layout.A ? "all bytes behind the file record have " : "the chunks have ")
                    + computed;
        }
        String cause = storedAreRight
                ? "; the checksum agrees with the stored hash: the data are damaged"
                : computedAreRight ? "; the checksum agrees with the data: the stored hash is damaged" : "";
        for (Finding mismatch : mismatches) {
            problems.add(new Finding(mismatch.field(), mismatch.offset(), mismatch.problem() + cause));
        }
        if (!storedAreRight && !computedAreRight) {
            problems.add(new Finding(
                    "checksum", checksumOffset(), "is " + printable(file.meta().checksum()) + ", " + expected));
        }
    }

    private long checksumOffset() {
        return file.recordOffset() + file.layout().file().offset(Field.CHECKSUM);
    }

    private boolean matches(MessageDigest hashes) {
        return HEX.formatHex(hashes.digest()).equals(file.meta().checksum());
    }

    /** A damaged checksum may hold control characters. */
    private static String printable(String checksum) {
        return Printable.text(checksum);
    }
}
