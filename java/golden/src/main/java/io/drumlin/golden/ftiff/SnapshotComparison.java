package io.drumlin.golden.ftiff;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfFile.ChecksumRule;
import io.drumlin.golden.Outcome;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import io.drumlin.golden.ftiff.Manifest.SnapshotFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares a run directory of Drumlin with a golden snapshot: the same files by name, checkpoint files byte for byte, INI
 * files by content.
 *
 * <p>Masked in checkpoint files, because C FTI leaves them to chance or to the clock: {@code timestamp}, the byte behind it,
 * and {@code myHash}, which covers the timestamp; in encoded files {@code metaSize} and {@code dataSize} too. In files whose {@code checksum} C FTI made by the rule that
 * its own reader refuses, {@code checksum} too; ours must then be by the other rule. See docs/formats/fti-ff.md, sections 4
 * and 10.
 */
public final class SnapshotComparison {

    /** Offsets from the end of the file, first and behind the last: see docs/formats/fti-ff.md, section 3. */
    private static final int[] MY_HASH = {73, 57};

    private static final int[] TIMESTAMP_AND_PAD = {5, 0};
    private static final int[] CHECKSUM = {106, 73};
    private static final int[] META_AND_DATA_SIZE = {45, 29};

    private static final String EXEC_ID = "{exec_id}";

    private final Path produced;
    private final String producedExecId;
    private final Path golden;
    private final Snapshot snapshot;
    private final Outcome outcome;
    private String ignored = "";
    private int byteEqual;
    private int iniEqual;

    /**
     * Prepares the comparison.
     *
     * @param produced directory that holds {@code config.fti}, {@code Local}, {@code Global} and {@code Meta} of our run
     * @param producedExecId exec_id of our run
     * @param golden the snapshot's directory
     * @param snapshot what the manifest says of it
     * @param outcome gets what differs
     */
    public SnapshotComparison(Path produced, String producedExecId, Path golden, Snapshot snapshot, Outcome outcome) {
        this.produced = produced;
        this.producedExecId = producedExecId;
        this.golden = golden;
        this.snapshot = snapshot;
        this.outcome = outcome;
    }

    /**
     * Compares all files.
     *
     * @param archived the run was finished with {@code keep_l4_ckpt = 1}: {@code failure} is not compared, because C FTI leaves
     *     a 1 there that makes its next run fail (docs/formats/fti-run-directory.md, section 5)
     * @throws IOException a file cannot be read
     */
    public void compare(boolean archived) throws IOException {
        ignored = archived ? "restart:failure=" : "";
        Map<String, String> ours = new TreeMap<>();
        for (String path : FtiFfCases.filesBelow(produced)) {
            ours.put(path.replace(producedExecId, EXEC_ID), path);
        }
        Set<String> expected = new TreeSet<>();
        for (SnapshotFile file : snapshot.files()) {
            String name = file.path().replace(snapshot.execId(), EXEC_ID);
            expected.add(name);
            String path = ours.get(name);
            if (path != null) {
                compare(file, produced.resolve(path));
            }
        }
        outcome.sameSets(golden.getFileName() + ": files written", expected, ours.keySet());
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
        checkSealed(where, found);
        boolean encoded = file.kind().equals("rs_encoded");
        boolean sameRule = encoded || file.checkpoint().checksumOfContent();
        for (byte[] bytes : List.of(expected, found)) {
            mask(bytes, MY_HASH);
            mask(bytes, TIMESTAMP_AND_PAD);
            if (!sameRule) {
                mask(bytes, CHECKSUM);
            }
            if (encoded) {
                mask(bytes, META_AND_DATA_SIZE);
            }
        }
        outcome.same(where + ": size", expected.length, found.length);
        int mismatch = Arrays.mismatch(expected, found);
        if (mismatch >= 0 && expected.length == found.length) {
            outcome.same(where + ": byte " + mismatch, expected[mismatch], found[mismatch]);
        }
        byteEqual++;
    }

    /** What is masked must be right by itself. */
    private void checkSealed(String where, byte[] bytes) throws IOException {
        try {
            FtiFfFile file = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
            if (!file.encoded()) {
                outcome.same(where + ": rule of the checksum", ChecksumRule.CONTENT, file.checksumRule());
            }
            outcome.same(where + ": last byte", (byte) 0, bytes[bytes.length - 1]);
        } catch (FormatException e) {
            outcome.differs(where + ": " + e.finding());
        }
    }

    private static void mask(byte[] file, int[] fromEnd) {
        if (file.length >= fromEnd[0]) {
            Arrays.fill(file, file.length - fromEnd[0], file.length - fromEnd[1], (byte) 0);
        }
    }

    /** The lines that count. The time of a checkpoint in the list of checkpoints is text of the clock. */
    private Set<String> ini(Path path, String execId) throws IOException {
        return Ini.read(path).entrySet().stream()
                .map(entry -> entry.getKey() + "="
                        + (entry.getKey().matches("checkpoint_id\\..*:timestamp")
                                ? "{time}"
                                : entry.getValue().replace(execId, EXEC_ID).replace(produced + "/", "./")))
                .filter(line -> ignored.isEmpty() || !line.startsWith(ignored))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Checkpoint files compared so far.
     *
     * @return number of files
     */
    public int byteEqual() {
        return byteEqual;
    }

    /**
     * INI files compared so far.
     *
     * @return number of files
     */
    public int iniEqual() {
        return iniEqual;
    }
}
