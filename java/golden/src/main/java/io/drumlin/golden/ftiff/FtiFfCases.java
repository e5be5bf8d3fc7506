package io.drumlin.golden.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.ftiff.Manifest.CheckpointFile;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import io.drumlin.golden.ftiff.Manifest.SnapshotFile;
import io.drumlin.golden.ftiff.Manifest.Variable;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** FTI-FF cases: reads every checkpoint file and compares records, digests and values with the manifest. */
public final class FtiFfCases implements GoldenCases {

    private final Rewriter rewriter = new Rewriter();

    /** Makes the reader and writer of these cases. */
    public FtiFfCases() {}

    @Override
    public boolean understands(Map<String, Object> manifest) {
        return Manifest.looksRight(manifest);
    }

    @Override
    public Outcome run(Path directory, Map<String, Object> json) throws IOException {
        Manifest manifest = Manifest.of(Json.root(json));
        Outcome outcome = new Outcome();
        Tally tally = new Tally();
        for (Map.Entry<String, Snapshot> snapshot : manifest.snapshots().entrySet()) {
            compare(manifest, directory.resolve(snapshot.getKey()), snapshot.getValue(), outcome, tally);
        }
        outcome.compared(tally.toString());
        if (!outcome.isFailed() && tally.files.containsKey("rs_encoded")) {
            new EncodedGroups(manifest, directory).compare(outcome);
        }
        if (!outcome.isFailed()) {
            rewriter.rewrite(manifest, directory, outcome);
            if (!manifest.layout().equals("F")) {
                new MemoryRewriter(manifest).compare(directory, outcome);
            }
        }
        return outcome;
    }

    /** Counts what was read, for the line of the case. */
    private static final class Tally {

        private final Map<String, Integer> files = new TreeMap<>();
        private int containers;
        private int variables;
        private long bytes;

        @Override
        public String toString() {
            String kinds = files.entrySet().stream()
                    .map(entry -> entry.getValue() + " " + entry.getKey())
                    .collect(Collectors.joining(", "));
            return "read " + kinds + " files: " + containers + " containers with their digests, " + variables
                    + " variables (" + bytes + " bytes) by value";
        }
    }

    private static void compare(Manifest manifest, Path root, Snapshot snapshot, Outcome outcome, Tally tally)
            throws IOException {
        Set<String> named =
                snapshot.files().stream().map(SnapshotFile::path).collect(Collectors.toCollection(TreeSet::new));
        outcome.sameSets(root.getFileName() + ": files", named, filesBelow(root));
        for (SnapshotFile file : snapshot.files()) {
            String where = root.getFileName() + "/" + file.path();
            byte[] bytes;
            try {
                bytes = Files.readAllBytes(root.resolve(file.path()));
            } catch (NoSuchFileException e) {
                continue; // told above
            }
            outcome.same(where + ": size", file.size(), (long) bytes.length);
            outcome.same(where + ": sha256 of the golden file", file.sha256(), sha256(bytes));
            tally.files.merge(file.kind(), 1, Integer::sum);
            if (file.checkpoint() != null) {
                compare(manifest, where, file.kind(), file.checkpoint(), bytes, outcome, tally);
            }
        }
    }

    static Set<String> filesBelow(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return Set.of();
        }
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> root.relativize(path).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static void compare(
            Manifest manifest,
            String where,
            String kind,
            CheckpointFile expected,
            byte[] bytes,
            Outcome outcome,
            Tally tally)
            throws IOException {
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        FtiFfFile file;
        try {
            file = FtiFfFile.read(source);
        } catch (FormatException e) {
            outcome.differs(where + ": " + e.finding());
            return;
        }
        outcome.same(where + ": encoded", kind.equals("rs_encoded"), file.encoded());
        outcome.same(where + ": layout", layoutLabel(expected.layout(), file.encoded()), file.layoutLabel());
        outcome.same(where + ": file record", expected.fileMeta(), file.meta());
        if (file.layout().atEnd()) {
            outcome.same(where + ": ckptId", expected.ckptId(), file.meta().ckptId());
        }
        outcome.same(where + ": blocks", expected.blocks(), file.blocks());
        new FtiFfVerifier(source, file, new LaneDigester()).verify(finding -> outcome.differs(where + ": " + finding));
        tally.containers += (int) file.containers().count();
        if (!file.encoded()) {
            outcome.same(where + ": rule of the checksum", checksumRule(file.layout(), expected), file.checksumRule());
            compareValues(manifest, where, expected, file, bytes, outcome, tally);
        }
    }

    /** Encoded files of C and D are the same. */
    private static String layoutLabel(String letter, boolean encoded) {
        return encoded && (letter.equals("C") || letter.equals("D")) ? "C or D" : letter;
    }

    private static ChecksumRule checksumRule(Layout layout, CheckpointFile expected) {
        if (!layout.atEnd()) {
            return ChecksumRule.BYTES;
        }
        return expected.checksumOfContent() ? ChecksumRule.CONTENT : ChecksumRule.ALL;
    }

    private static void compareValues(
            Manifest manifest,
            String where,
            CheckpointFile expected,
            FtiFfFile file,
            byte[] bytes,
            Outcome outcome,
            Tally tally) {
        Manifest.Checkpoint checkpoint = manifest.checkpoints().get(expected.ckptId());
        if (checkpoint == null) {
            outcome.differs(where + ": the manifest does not say what checkpoint " + expected.ckptId() + " holds");
            return;
        }
        Map<Integer, List<VariableMeta>> containers = file.containers()
                .collect(Collectors.groupingBy(VariableMeta::id, LinkedHashMap::new, Collectors.toList()));
        outcome.same(
                where + ": variables",
                checkpoint.variables().stream().map(Variable::id).collect(Collectors.toSet()),
                containers.keySet());
        for (Variable variable : checkpoint.variables()) {
            ByteBuffer found = assemble(containers.getOrDefault(variable.id(), List.of()), bytes);
            ByteBuffer values = variable.values()
                    .bytes(
                            expected.contentRank(),
                            variable.id(),
                            variable.count().on(expected.contentRank()),
                            variable.segments());
            compareValues(where + ": variable " + variable.id(), values, found, outcome);
            tally.variables++;
            tally.bytes += values.capacity();
        }
    }

    private static void compareValues(String where, ByteBuffer expected, ByteBuffer found, Outcome outcome) {
        outcome.same(where + ": bytes", expected.remaining(), found.remaining());
        int mismatch = expected.mismatch(found);
        if (mismatch >= 0 && mismatch < Math.min(expected.remaining(), found.remaining())) {
            outcome.same(where + ": byte " + mismatch, expected.get(mismatch), found.get(mismatch));
        }
    }

    private static ByteBuffer assemble(List<VariableMeta> containers, byte[] bytes) {
        int size = containers.stream()
                .mapToInt(container -> (int) container.chunkSize())
                .sum();
        ByteBuffer variable = ByteBuffer.allocate(size);
        for (VariableMeta container : containers) {
            variable.put(bytes, (int) container.fptr(), (int) container.chunkSize());
        }
        return variable.flip();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
