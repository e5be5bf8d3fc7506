package io.drumlin.golden.ftiff;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.ContainerPlan;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.VariableMeta;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.ftiff.CallSequence.Checkpoint;
import io.drumlin.golden.ftiff.CallSequence.Finish;
import io.drumlin.golden.ftiff.CallSequence.IncrementalCheckpoint;
import io.drumlin.golden.ftiff.CallSequence.Protect;
import io.drumlin.golden.ftiff.CallSequence.Restart;
import io.drumlin.golden.ftiff.CallSequence.Step;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import io.drumlin.golden.ftiff.Manifest.SnapshotFile;
import io.drumlin.golden.ftiff.Manifest.Variable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the plain files and partner copies of a case in memory, from its calls and values alone, and compares every byte.
 * For layouts that the checkpoint engine does not write.
 *
 * <p>Differential files are not made: what their containers keep of earlier data is not in the values. Taken from the golden file are only what C FTI leaves to the clock or to chance: the timestamp, the padding of layout
 * A, which its checksum covers, and the undefined byte of the file record.
 */
final class MemoryRewriter {

    /** The level that {@code FTI_Checkpoint} is given for a differential checkpoint. */
    private static final int DIFFERENTIAL = 8;

    private final Manifest manifest;
    private final Layout layout;
    private final int nodeSize;
    private final int groupSize;

    /** For each checkpoint, the plan of each rank. */
    private final Map<Integer, List<ContainerPlan>> plans = new HashMap<>();

    MemoryRewriter(Manifest manifest) {
        this.manifest = manifest;
        this.layout = Layout.valueOf(manifest.layout());
        this.nodeSize = manifest.number("node_size");
        this.groupSize = manifest.number("group_size");
    }

    /** Compares all files of the case. */
    void compare(Path directory, Outcome outcome) throws IOException {
        plan();
        int files = 0;
        for (Map.Entry<String, Snapshot> snapshot : manifest.snapshots().entrySet()) {
            for (SnapshotFile file : snapshot.getValue().files()) {
                if (file.checkpoint() != null && List.of("rank", "partner_copy").contains(file.kind())) {
                    byte[] golden = Files.readAllBytes(
                            directory.resolve(snapshot.getKey()).resolve(file.path()));
                    byte[] made = make(file.checkpoint(), golden);
                    String where = snapshot.getKey() + "/" + file.path() + " made in memory";
                    outcome.same(where + ": size", golden.length, made.length);
                    int mismatch = Arrays.mismatch(golden, made);
                    if (mismatch >= 0 && mismatch < Math.min(golden.length, made.length)) {
                        outcome.same(where + ": byte " + mismatch, golden[mismatch], made[mismatch]);
                    }
                    files++;
                }
            }
        }
        outcome.compared(
                "made in memory from the calls: " + files + " files byte for byte, given timestamp and padding");
    }

    /** Plans what every rank has in its containers at each checkpoint. */
    private void plan() {
        for (int rank = 0; rank < manifest.ranks(); rank++) {
            Planning planning = new Planning(rank);
            manifest.calls().steps().forEach(planning::follow);
        }
    }

    /** The containers of one rank, from call to call. */
    private final class Planning {

        private final int rank;
        private final boolean keepsLast = "1".equals(manifest.config().get("keep_last_ckpt"));
        private final Map<Integer, Long> sizes = new LinkedHashMap<>();
        private ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT);
        private boolean deleted;

        Planning(int rank) {
            this.rank = rank;
        }

        void follow(Step step) {
            if (step instanceof Protect protect) {
                long bytes = protect.count().on(rank) * protect.values().elementSize();
                sizes.put(protect.id(), bytes);
            } else if (step instanceof Checkpoint checkpoint) {
                take(checkpoint.id(), sizes.keySet());
                if (checkpoint.level() == DIFFERENTIAL) {
                    plan = ContainerPlan.of(plan.blocks(), Packing.COMPACT);
                }
            } else if (step instanceof IncrementalCheckpoint checkpoint) {
                take(checkpoint.id(), checkpoint.order());
            } else if (step instanceof Finish) {
                deleted = !keepsLast;
            } else if (step instanceof Restart) {
                restart();
            }
        }

        private void take(int ckptId, Collection<Integer> order) {
            plan = plan.next(order.stream()
                    .map(id -> new VariableSize(id, known(sizes, id)))
                    .toList());
            plans.computeIfAbsent(ckptId, id -> new ArrayList<>()).add(plan);
        }

        /** The containers are read from the last file, and with them the order of the variables. */
        private void restart() {
            plan = deleted ? ContainerPlan.empty(Packing.COMPACT) : ContainerPlan.of(plan.blocks(), Packing.COMPACT);
            deleted = false;
            sizes.clear();
            plan.variables().forEach(variable -> sizes.put(variable.id(), variable.size()));
        }
    }

    private byte[] make(Manifest.CheckpointFile expected, byte[] golden) throws IOException {
        Map<Integer, ByteBuffer> values = new HashMap<>();
        for (Variable variable :
                known(manifest.checkpoints(), expected.ckptId()).variables()) {
            long count = variable.count().on(expected.contentRank());
            values.put(
                    variable.id(),
                    variable.values().bytes(expected.contentRank(), variable.id(), count, variable.segments()));
        }
        ContainerPlan plan = known(plans, expected.ckptId()).get(expected.contentRank());
        byte[] bytes = new byte[(int) PlacedFile.of(layout, plan).size()];
        List<byte[]> digests = new ArrayList<>();
        PlacedFile.of(layout, plan).blocks().stream()
                .flatMap(block -> block.variables().stream())
                .filter(VariableMeta::hasContent)
                .forEach(chunk -> {
                    ByteBuffer part = known(values, chunk.id()).slice((int) chunk.dptr(), (int) chunk.chunkSize());
                    digests.add(md5(part.duplicate()));
                    part.get(bytes, (int) chunk.fptr(), part.remaining());
                });
        PlacedFile file = PlacedFile.of(layout, plan.withHashes(digests));
        file.records().forEach(piece -> put(bytes, piece));
        keepPadding(file, golden, bytes);
        String checksum = file.checksum(new MemoryByteSource(ByteBuffer.wrap(bytes)));
        FileMeta meta = file.seal(
                checksum, expected.ckptId(), expected.fileMeta().timestamp(), maxFs(expected), ptFs(expected));
        put(bytes, file.fileRecord(meta));
        keepPaddingOfFileRecord(golden, bytes);
        return bytes;
    }

    /** Returns what was read in the same manifest before. */
    private static <V> V known(Map<Integer, V> map, int id) {
        V value = map.get(id);
        if (value == null) {
            throw new IllegalStateException("the manifest does not say what " + id + " is");
        }
        return value;
    }

    private static byte[] md5(ByteBuffer bytes) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(bytes);
            return md5.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has MD5", e);
        }
    }

    private static void put(byte[] file, PlacedFile.Piece piece) {
        ByteBuffer.wrap(file)
                .put((int) piece.offset(), piece.bytes(), 0, piece.bytes().remaining());
    }

    /** Bytes 13 to 15 of the variable records of layout A, 64 bytes each behind the 12 of the block record. */
    private void keepPadding(PlacedFile file, byte[] golden, byte[] bytes) {
        if (layout != Layout.A || golden.length != bytes.length) {
            return;
        }
        for (PlacedFile.Piece piece : file.records()) {
            int end = (int) piece.offset() + piece.bytes().remaining();
            for (int record = (int) piece.offset() + 12; record < end; record += 64) {
                System.arraycopy(golden, record + 13, bytes, record + 13, 3);
            }
        }
    }

    private void keepPaddingOfFileRecord(byte[] golden, byte[] bytes) {
        if (layout == Layout.A) {
            System.arraycopy(golden, 49, bytes, 49, 7);
        } else if (layout == Layout.B) {
            bytes[89] = golden[89];
        } else {
            bytes[bytes.length - 1] = golden[golden.length - 1];
        }
    }

    private long maxFs(Manifest.CheckpointFile file) {
        if (level(file) != 3) {
            return -1;
        }
        long largest = 0;
        for (int member = 0; member < groupSize; member++) {
            largest = Math.max(largest, size(file, neighbour(file.contentRank(), member)));
        }
        return largest + (layout.atEnd() ? Long.BYTES : 0);
    }

    private long ptFs(Manifest.CheckpointFile file) {
        return level(file) == 2 ? size(file, neighbour(file.contentRank(), groupSize - 1)) : -1;
    }

    private int level(Manifest.CheckpointFile file) {
        return known(manifest.checkpoints(), file.ckptId()).level();
    }

    private long size(Manifest.CheckpointFile file, int rank) {
        return PlacedFile.of(layout, known(plans, file.ckptId()).get(rank)).size();
    }

    /** The rank that is {@code steps} to the right in the group; docs/formats/fti-ff.md, section 7. */
    private int neighbour(int rank, int steps) {
        int node = rank / nodeSize;
        int first = node / groupSize * groupSize;
        return (first + (node - first + steps) % groupSize) * nodeSize + rank % nodeSize;
    }
}
