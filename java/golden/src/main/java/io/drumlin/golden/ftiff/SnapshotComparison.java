package io.drumlin.golden.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.ftiff.Manifest.CheckpointFile;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import io.drumlin.golden.ftiff.Manifest.SnapshotFile;
import io.drumlin.integrity.LaneDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares a run directory of Drumlin with a golden snapshot: the same files by name, checkpoint files byte for byte, INI
 * files by content.
 *
 * <p>What is masked in checkpoint files is said by {@link Mask}; ours must be right there by itself: whole, with a checksum that C
 * FTI accepts, and 0 where C FTI writes nothing.
 */
final class SnapshotComparison {

    private static final String EXEC_ID = "{exec_id}";

    private final Path produced;
    private final String producedExecId;
    private final Path golden;
    private final Snapshot snapshot;
    private final Outcome outcome;
    private final int nodeSize;
    private final int groupSize;
    private final Map<String, Equal> equal = new TreeMap<>();
    private String ignored = "";
    private int iniEqual;
    private int apart;
    private int leftBehind;

    /** Counts what was equal in the files of one kind. */
    private static final class Equal {
        private final Set<Mask.Reason> masked = EnumSet.noneOf(Mask.Reason.class);
        private int files;
        private long maskedBytes;
    }

    /**
     * Prepares the comparison.
     *
     * @param produced directory that holds {@code config.fti}, {@code Local}, {@code Global} and {@code Meta} of our run
     * @param producedExecId exec_id of our run
     * @param golden the snapshot's directory
     * @param snapshot what the manifest says of it
     * @param manifest the case
     * @param outcome gets what differs
     */
    SnapshotComparison(
            Path produced, String producedExecId, Path golden, Snapshot snapshot, Manifest manifest, Outcome outcome) {
        this.produced = produced;
        this.producedExecId = producedExecId;
        this.golden = golden;
        this.snapshot = snapshot;
        this.outcome = outcome;
        nodeSize = manifest.number("node_size");
        groupSize = manifest.number("group_size");
    }

    /**
     * Compares all files.
     *
     * @param archived the run was finished with {@code keep_l4_ckpt = 1}: {@code failure} is not compared, because C FTI leaves
     *     a 1 there that makes its next run fail (docs/formats/fti-run-directory.md, section 5)
     * @param ended whether a process has finished the run before
     * @throws IOException a file cannot be read
     */
    void compare(boolean archived, boolean ended) throws IOException {
        ignored = archived ? "restart:failure=" : "";
        Map<String, String> ours = new TreeMap<>();
        for (String path : FtiFfCases.filesBelow(produced)) {
            if (path.contains("/drumlin-")) {
                // Where C FTI never looks: docs/formats/fti-run-directory.md, section 1.
                apart++;
                continue;
            }
            ours.put(path.replace(producedExecId, EXEC_ID), path);
        }
        Set<String> expected = new TreeSet<>();
        for (SnapshotFile file : snapshot.files()) {
            String name = file.path().replace(snapshot.execId(), EXEC_ID);
            String path = ours.get(name);
            if (path == null && isLeftBehind(name, ended)) {
                leftBehind++;
                continue;
            }
            expected.add(name);
            if (path != null) {
                compare(file, produced.resolve(path));
            }
        }
        outcome.sameSets(golden.getFileName() + ": files written", expected, ours.keySet());
    }

    /**
     * Returns whether C FTI leaves a file on a node beside the one on the parallel file system and never reads it: section 1 of
     * the same.
     */
    private static boolean isLeftBehind(String name, boolean ended) {
        return name.startsWith("Local/") && (name.contains("/dCP/") || (ended && name.contains("/lL4Dir/")));
    }

    private void compare(SnapshotFile file, Path ours) throws IOException {
        String where = golden.getFileName() + "/" + file.path() + " written";
        if (file.checkpoint() == null) {
            outcome.same(where, ini(golden.resolve(file.path()), snapshot.execId()), ini(ours, producedExecId));
            iniEqual++;
            return;
        }
        byte[] expected = Files.readAllBytes(golden.resolve(file.path()));
        byte[] found = Files.readAllBytes(ours);
        checkSealed(where, Objects.requireNonNull(file.checkpoint()), found);
        Mask mask = mask(file, expected);
        outcome.same(where + ": size", expected.length, found.length);
        int mismatch = expected.length == found.length ? mask.mismatch(expected, found) : -1;
        if (mismatch >= 0) {
            outcome.same(where + ": byte " + mismatch, expected[mismatch], found[mismatch]);
        }
        Equal kind = equal.computeIfAbsent(file.kind(), any -> new Equal());
        kind.files++;
        kind.masked.addAll(mask.reasons());
        kind.maskedBytes += mask.size();
    }

    private Mask mask(SnapshotFile file, byte[] bytes) throws IOException {
        CheckpointFile checkpoint = Objects.requireNonNull(file.checkpoint());
        if (!file.kind().equals("rs_encoded")) {
            return Mask.plain(checkpoint, bytes);
        }
        List<Mask> group = new ArrayList<>();
        for (SnapshotFile other : snapshot.files()) {
            CheckpointFile plain = other.checkpoint();
            if (plain != null && other.kind().equals("rank") && sameGroup(plain, checkpoint)) {
                group.add(Mask.plain(plain, Files.readAllBytes(golden.resolve(other.path()))));
            }
        }
        return Mask.encoded(checkpoint, bytes.length, group);
    }

    /** The ranks at the same place of the nodes of a sector; docs/formats/fti-ff.md, section 7. */
    private boolean sameGroup(CheckpointFile one, CheckpointFile other) {
        return one.ckptId() == other.ckptId()
                && one.contentRank() % nodeSize == other.contentRank() % nodeSize
                && one.contentRank() / nodeSize / groupSize == other.contentRank() / nodeSize / groupSize;
    }

    /** Checks that the masked bytes are right by themselves. */
    private void checkSealed(String where, CheckpointFile checkpoint, byte[] bytes) throws IOException {
        ByteSource source = new MemoryByteSource(ByteBuffer.wrap(bytes));
        try {
            FtiFfFile file = FtiFfFile.read(source);
            new FtiFfVerifier(source, file, new LaneDigester())
                    .verify(finding -> outcome.differs(where + ": " + finding));
            if (file.stamp()
                    .common(checkpoint.ckptId(), checkpoint.contentRank())
                    .isEmpty()) {
                outcome.differs(where + ": no stamp of checkpoint " + checkpoint.ckptId() + " and rank "
                        + checkpoint.contentRank());
            }
            if (file.layout().atEnd() && !file.encoded()) {
                outcome.same(where + ": rule of the checksum", ChecksumRule.CONTENT, file.checksumRule());
            }
        } catch (FormatException e) {
            outcome.differs(where + ": " + e.finding());
        }
    }

    /** The lines that count: not the time of a checkpoint, which is text of the clock, nor the keys that C FTI has not. */
    private Set<String> ini(Path path, String execId) throws IOException {
        return Ini.read(path).entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + (entry.getKey().matches("checkpoint_id\\..*:timestamp")
                                ? "{time}"
                                : entry.getValue().replace(execId, EXEC_ID).replace(produced + "/", "./")))
                .filter(line -> ignored.isEmpty() || !line.startsWith(ignored))
                .filter(line -> !line.startsWith("drumlin:") && !line.startsWith("topology:digest="))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Says what was compared, and which bytes of how many files were not.
     *
     * @param comparisons of the snapshots of a case
     * @return one line
     */
    static String summary(List<SnapshotComparison> comparisons) {
        List<String> kinds = new ArrayList<>();
        for (String kind : List.of("rank", "partner_copy", "rs_encoded", "dcp")) {
            Equal sum = new Equal();
            for (SnapshotComparison comparison : comparisons) {
                Equal each = comparison.equal.getOrDefault(kind, new Equal());
                sum.files += each.files;
                sum.masked.addAll(each.masked);
                sum.maskedBytes += each.maskedBytes;
            }
            if (sum.files > 0) {
                kinds.add(sum.files + " " + kind + " files byte for byte but for " + sum.maskedBytes + " bytes of "
                        + Mask.describe(sum.masked));
            }
        }
        kinds.add(comparisons.stream().mapToInt(each -> each.iniEqual).sum() + " INI files by content");
        int apart = comparisons.stream().mapToInt(each -> each.apart).sum();
        if (apart > 0) {
            kinds.add(apart + " files of Drumlin's own aside, in folders drumlin-*");
        }
        int leftBehind = comparisons.stream().mapToInt(each -> each.leftBehind).sum();
        if (leftBehind > 0) {
            kinds.add(leftBehind + " node-local files that C FTI leaves and never reads not written");
        }
        return String.join(", ", kinds);
    }
}
