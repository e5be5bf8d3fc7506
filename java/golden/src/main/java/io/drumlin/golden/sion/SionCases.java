package io.drumlin.golden.sion;

import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.sion.KeyValueRecord;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.KeyValueScanner;
import io.drumlin.format.sion.internal.Meta2;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.format.sion.internal.TaskStream;
import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.sion.Manifest.KeyedValue;
import io.drumlin.golden.sion.Manifest.PhysicalFile;
import io.drumlin.golden.sion.Manifest.Task;
import io.drumlin.golden.sion.Pattern.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** SION cases: reads every byte of every task and compares metadata and data with the manifest. */
public final class SionCases implements GoldenCases {

    /** Makes the reader of these cases. */
    public SionCases() {}

    @Override
    public boolean understands(Map<String, Object> manifest) {
        return Manifest.looksRight(manifest);
    }

    @Override
    public Outcome run(Path directory, Map<String, Object> json) throws IOException {
        Manifest manifest = Manifest.of(Json.root(json));
        Outcome outcome = new Outcome();
        try (CaseFiles files = CaseFiles.of(directory)) {
            new Comparison(manifest, files.directory(), outcome).compare();
        }
        if (!outcome.isFailed()) {
            new Rewriter(manifest, outcome).rewrite();
        }
        return outcome;
    }

    /** The comparison of one case. */
    private static final class Comparison {

        private final Manifest manifest;
        private final Path directory;
        private final Outcome outcome;
        private long bytes;
        private int records;

        Comparison(Manifest manifest, Path directory, Outcome outcome) {
            this.manifest = manifest;
            this.directory = directory;
            this.outcome = outcome;
        }

        void compare() throws IOException {
            for (PhysicalFile file : manifest.files()) {
                compare(file, file.name(), tasksOf(file.fileNumber()), 0);
            }
            for (PhysicalFile copy : manifest.buddyFiles()) {
                List<Task> tasks = tasksOf(copy.fileNumber());
                compare(copy, copy.name(), tasks, copy.globalRanks().size() - tasks.size());
            }
            String copies = manifest.buddyFiles().isEmpty()
                    ? ""
                    : " and " + manifest.buddyFiles().size() + " buddy copies";
            outcome.compared("read " + manifest.files().size() + " files" + copies + ": "
                    + manifest.tasks().size() + " tasks, " + bytes + " bytes by value"
                    + (manifest.keyValue() ? ", " + records + " records" : "")
                    + (manifest.closed() ? "" : ", reported as never closed"));
        }

        /** The only file of a serial case has number 1. */
        private List<Task> tasksOf(int fileNumber) {
            int file = manifest.files().size() == 1 ? 0 : fileNumber;
            return manifest.tasks().stream().filter(task -> task.file() == file).toList();
        }

        private void compare(PhysicalFile expected, String where, List<Task> tasks, int senders) throws IOException {
            byte[] content = Files.readAllBytes(directory.resolve(expected.name()));
            outcome.same(where + ": size", expected.size(), (long) content.length);
            outcome.same(where + ": sha256 of the golden file", expected.sha256(), sha256(ByteBuffer.wrap(content)));
            ByteSource source = new MemoryByteSource(ByteBuffer.wrap(content));
            SionMeta meta = SionMeta.read(source);
            compareMeta(expected, where, meta);
            outcome.same(where + ": closed", manifest.closed(), meta.closed());
            outcome.same(
                    where + ": META1",
                    ByteBuffer.wrap(content, 0, (int) meta.meta1().tailOffset()).slice(),
                    meta.meta1().encode());
            meta.meta2().ifPresent(blocks -> compareTail(where, content, meta.meta1(), blocks));
            for (Task task : tasks) {
                compare(where + ": task " + task.rank(), task, meta, source, senders);
            }
        }

        private void compareMeta(PhysicalFile expected, String where, SionMeta meta) {
            Meta1 meta1 = meta.meta1();
            int[] tasks = IntStream.range(0, meta1.tasks()).toArray();
            outcome.same(
                    where + ": key/value", manifest.keyValue(), meta1.header().keyValue());
            outcome.same(
                    where + ": fsblksize",
                    manifest.open().fsBlockSize(),
                    meta1.header().fsBlockSize());
            outcome.same(
                    where + ": prefix", manifest.open().file(), meta1.header().prefix());
            outcome.same(
                    where + ": nfiles", manifest.files().size(), meta1.header().files());
            outcome.same(
                    where + ": filenumber",
                    expected.fileNumber(),
                    meta1.header().fileNumber());
            outcome.same(
                    where + ": byte order of the metadata",
                    manifest.bigEndianMetadata() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN,
                    meta1.header().order());
            outcome.same(
                    where + ": byte order of the data",
                    manifest.bigEndianPayload(),
                    meta1.header().bigEndianPayload());
            outcome.same(
                    where + ": globalranks",
                    expected.globalRanks(),
                    IntStream.of(tasks).mapToObj(meta1::globalRank).toList());
            outcome.same(
                    where + ": chunksizes",
                    expected.chunkSizes(),
                    IntStream.of(tasks).mapToObj(meta1::chunkSize).toList());
            outcome.same(
                    where + ": starts",
                    expected.starts(),
                    IntStream.of(tasks).mapToObj(meta1::start).toList());
            outcome.same(where + ": globalskip", expected.globalSkip(), meta1.globalSkip());
            meta.meta2().ifPresent(blocks -> {
                outcome.same(where + ": maxchunks", expected.maxChunks().orElse(0), blocks.maxChunks());
                outcome.same(
                        where + ": blockcounts",
                        expected.blockCounts(),
                        IntStream.of(tasks).mapToObj(blocks::blocks).toList());
            });
            boolean hasMapping =
                    expected.fileNumber() == 0 && !manifest.mapping().isEmpty();
            outcome.same(where + ": has a mapping", hasMapping, meta.mapping().isPresent());
            if (hasMapping && expected.name().equals(manifest.open().file())) {
                meta.mapping()
                        .ifPresent(mapping -> outcome.same(where + ": mapping", manifest.mapping(), pairs(mapping)));
            }
        }

        private static List<List<Integer>> pairs(TaskMapping mapping) {
            return IntStream.range(0, mapping.tasks())
                    .mapToObj(task -> List.of(mapping.fileNumber(task), mapping.localRank(task)))
                    .toList();
        }

        private void compareTail(String where, byte[] content, Meta1 meta1, Meta2 blocks) {
            outcome.same(
                    where + ": tail of META1",
                    ByteBuffer.wrap(content, (int) meta1.tailOffset(), Meta1.TAIL_LENGTH)
                            .slice(),
                    meta1.encodeTail(blocks.maxChunks()));
        }

        private void compare(String where, Task task, SionMeta meta, ByteSource source, int senders)
                throws IOException {
            long[] sizes = task.blocks().stream().mapToLong(Long::longValue).toArray();
            int lrank = senders + task.localRank();
            TaskStream found = meta.stream(source, lrank);
            if (meta.closed()) {
                outcome.same(
                        where + ": blocks",
                        task.blocks(),
                        LongStream.of(meta.meta2().orElseThrow().sizes(lrank))
                                .boxed()
                                .toList());
            } else {
                // Nothing in the file says how much there is; what the manifest says must be there.
                found = new TaskStream(
                        source, meta.meta1().start(lrank), meta.meta1().globalSkip(), sizes);
            }
            ByteBuffer content = ByteBuffer.allocate((int) found.size());
            found.readFully(0, content);
            content.flip();
            outcome.same(where + ": sha256", task.sha256(), sha256(content.duplicate()));
            bytes += content.remaining();
            if (manifest.keyValue()) {
                compareRecords(where, task, found, meta.meta1().header().order());
            } else {
                compareSegments(where, task, content);
            }
        }

        private void compareSegments(String where, Task task, ByteBuffer content) {
            for (Segment segment : task.segments()) {
                ByteBuffer expected = manifest.pattern().bytes(segment);
                int length = Math.min(expected.remaining(), content.remaining());
                outcome.same(where + ": " + segment, expected, content.slice(content.position(), length));
                content.position(content.position() + length);
            }
            outcome.same(where + ": bytes behind the last segment", 0, content.remaining());
        }

        private void compareRecords(String where, Task task, TaskStream stream, ByteOrder order) throws IOException {
            List<KeyedValue> expected = new ArrayList<>(task.records());
            KeyValueScanner scanner = new KeyValueScanner(stream, order);
            for (Optional<KeyValueRecord> next = scanner.next(); next.isPresent(); next = scanner.next()) {
                if (expected.isEmpty()) {
                    outcome.differs(where + ": unexpected " + next.get());
                    return;
                }
                KeyedValue record = expected.remove(0);
                ByteBuffer value = ByteBuffer.allocate((int) next.get().length());
                stream.readFully(next.get().offset(), value);
                outcome.same(where + ": key", record.key(), next.get().key());
                outcome.same(
                        where + ": value of key " + record.key(),
                        manifest.pattern().bytes(record.value()),
                        value.flip());
                records++;
            }
            outcome.same(where + ": records that are missing", List.of(), expected);
        }
    }

    static String sha256(ByteBuffer bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes);
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
