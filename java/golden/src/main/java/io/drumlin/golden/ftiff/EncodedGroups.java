package io.drumlin.golden.ftiff;

import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.FtiFfVerifier;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.internal.Findings;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.ftiff.Manifest.CheckpointFile;
import io.drumlin.golden.ftiff.Manifest.Snapshot;
import io.drumlin.golden.ftiff.Manifest.SnapshotFile;
import io.drumlin.integrity.LaneDigester;
import io.drumlin.integrity.ReedSolomon16;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups of level 3 of a case: makes each encoded file again from the plain files, and each file from every half of its
 * group, or from some halves where there are too many.
 */
final class EncodedGroups {

    /** Halves that are tried of one group. */
    private static final int MOST_HALVES = 1000;

    private static final String ENCODED = "rs_encoded";
    private static final String PLAIN = "rank";

    private final Path directory;
    private final Manifest manifest;
    private final int nodeSize;
    private final int groupSize;
    private int encoded;
    private int groups;
    private int incomplete;
    private int halves;
    private int rebuilt;

    EncodedGroups(Manifest manifest, Path directory) {
        this.manifest = manifest;
        this.directory = directory;
        this.nodeSize = manifest.number("node_size");
        this.groupSize = manifest.number("group_size");
    }

    /** A group at a checkpoint, and its place in the run: docs/formats/fti-ff.md, section 7. */
    private record Group(int ckptId, int sector, int position) {}

    /** A file of a group. */
    private record Member(String where, ByteBuffer bytes, FtiFfFile file) {

        ByteSource source() {
            return new MemoryByteSource(bytes);
        }
    }

    /** Compares all groups of all snapshots. */
    void compare(Outcome outcome) throws IOException {
        for (Map.Entry<String, Snapshot> snapshot : manifest.snapshots().entrySet()) {
            Map<String, List<@Nullable Member>> found = new TreeMap<>();
            for (SnapshotFile file : snapshot.getValue().files()) {
                CheckpointFile checkpoint = file.checkpoint();
                boolean ofLevel3 = file.path().contains("/l3/");
                if (checkpoint != null && ofLevel3 && List.of(PLAIN, ENCODED).contains(file.kind())) {
                    add(found, snapshot.getKey() + "/" + file.path(), file.kind(), checkpoint);
                }
            }
            for (List<@Nullable Member> members : found.values()) {
                compare(members, outcome);
            }
        }
        outcome.compared("level 3: " + encoded + " encoded files made again from plain ones, " + rebuilt
                + " times a file made from another half of its group, " + halves + " halves of " + groups + " groups"
                + (incomplete > 0 ? "; " + incomplete + " groups that lack files left out" : ""));
    }

    private void add(Map<String, List<@Nullable Member>> found, String path, String kind, CheckpointFile checkpoint)
            throws IOException {
        int node = checkpoint.contentRank() / nodeSize;
        Group group = new Group(checkpoint.ckptId(), node / groupSize, checkpoint.contentRank() % nodeSize);
        int number = node % groupSize + (kind.equals(ENCODED) ? groupSize : 0);
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(directory.resolve(path)));
        FtiFfFile file = FtiFfFile.read(new MemoryByteSource(bytes));
        found.computeIfAbsent(
                        group.toString(), key -> new ArrayList<>(Collections.nCopies(2 * groupSize, (Member) null)))
                .set(number, new Member(path, bytes, file));
    }

    private void compare(List<@Nullable Member> members, Outcome outcome) throws IOException {
        BitSet present = new BitSet();
        Member any = null;
        for (int number = 0; number < members.size(); number++) {
            Member member = members.get(number);
            present.set(number, member != null);
            any = member == null ? any : member;
        }
        if (any == null || present.cardinality() < members.size()) {
            incomplete++;
            return;
        }
        groups++;
        List<Member> all = new ArrayList<>();
        members.forEach(member -> {
            if (member != null) {
                all.add(member);
            }
        });
        new Comparison(all, any.file.meta().maxFs(), outcome).compare();
    }

    /** The comparisons of one group. */
    private final class Comparison {

        private final List<Member> members;
        private final long maxFs;
        private final Outcome outcome;
        private final ReedSolomon16 code = new ReedSolomon16(groupSize);
        private final List<ByteSource> sources = new ArrayList<>();

        Comparison(List<Member> members, long maxFs, Outcome outcome) {
            this.members = members;
            this.maxFs = maxFs;
            this.outcome = outcome;
            for (Member member : members) {
                sources.add(member.file.encoded() ? member.source() : extended(member));
            }
        }

        /** The file as it enters the group: zeros after it, and in layouts C to F its own size at the end. */
        private ByteSource extended(Member plain) {
            int size = plain.bytes.limit();
            ByteBuffer extended = ByteBuffer.allocate((int) maxFs).order(ByteOrder.LITTLE_ENDIAN);
            extended.put(0, plain.bytes, 0, size);
            if (plain.file.layout().atEnd()) {
                extended.putLong((int) maxFs - Long.BYTES, size);
            }
            return new MemoryByteSource(extended);
        }

        void compare() throws IOException {
            long largest = 0;
            for (int number = 0; number < groupSize; number++) {
                largest = Math.max(largest, members.get(number).file.meta().fs());
            }
            long expected = layout(0).atEnd() ? largest + Long.BYTES : largest;
            outcome.same(members.get(0).where + ": maxFs", expected, maxFs);
            for (int index = 0; index < groupSize; index++) {
                compareRecord(members.get(index), members.get(groupSize + index));
                encoded++;
            }
            for (BitSet half : someHalves()) {
                halves++;
                for (int number = half.nextClearBit(0);
                        number < members.size();
                        number = half.nextClearBit(number + 1)) {
                    compareRebuilt(half, number);
                    rebuilt++;
                }
            }
        }

        private Layout layout(int number) {
            return members.get(number).file.layout();
        }

        /** With the half of the plain files every encoded file is made; here, what is behind its encoded bytes. */
        private void compareRecord(Member plain, Member member) {
            FileMeta found = member.file.meta();
            String checksum = HexFormat.of().formatHex(md5(member.bytes.slice(0, (int) maxFs)));
            FileMeta expected = member.file
                    .layout()
                    .sealEncoded(
                            checksum,
                            found.ckptId(),
                            found.timestamp(),
                            plain.file.meta().fs(),
                            maxFs);
            boolean chance = found.metaSize() != 0 || found.dataSize() != 0;
            outcome.same(member.where + ": record", expected, chance ? withoutChance(found, expected) : found);
        }

        /** Returns the expected record with what C FTI leaves to chance as it was found, and the digest that covers it. */
        private FileMeta withoutChance(FileMeta found, FileMeta expected) {
            return new FileMeta(
                    found.checksum(),
                    expected.myHash(),
                    found.ckptId(),
                    found.ckptSize(),
                    expected.metaSize(),
                    expected.dataSize(),
                    found.fs(),
                    found.maxFs(),
                    found.ptFs(),
                    found.timestamp());
        }

        private List<BitSet> someHalves() {
            List<BitSet> all = new ArrayList<>();
            if (groupSize <= 6) {
                for (long set = 0; set < 1L << (2 * groupSize); set++) {
                    if (Long.bitCount(set) == groupSize) {
                        all.add(BitSet.valueOf(new long[] {set}));
                    }
                }
                return all;
            }
            List<Integer> numbers = new ArrayList<>();
            for (int number = 0; number < 2 * groupSize; number++) {
                numbers.add(number);
            }
            Random random = new Random(groupSize); // the same halves in every run
            BitSet half = new BitSet();
            half.set(0, groupSize);
            while (all.size() < MOST_HALVES) {
                all.add(half);
                Collections.shuffle(numbers, random);
                half = new BitSet();
                numbers.subList(0, groupSize).forEach(half::set);
            }
            return all;
        }

        private void compareRebuilt(BitSet half, int number) throws IOException {
            List<@Nullable ByteSource> files = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                files.add(half.get(i) ? sources.get(i) : null);
            }
            RebuiltFile file = RebuiltFile.of(code, files, number, maxFs);
            String where = members.get(number).where + " made from files " + half;
            if (number >= groupSize) {
                compare(where, members.get(number), file, file.lastByteIsSure() ? maxFs : maxFs - 1);
                return;
            }
            try {
                long size = members.get(number).file.meta().fs();
                outcome.same(where + ": size", size, plainSize(layout(number), file));
                boolean whole = layout(number).atEnd() || file.lastByteIsSure() || size < maxFs;
                compare(where, members.get(number), whole ? file : completed(file, size), size);
            } catch (FormatException e) {
                outcome.differs(where + ": " + e.finding());
            }
        }

        private long plainSize(Layout layout, ByteSource rebuilt) throws IOException {
            int length = layout.atEnd() ? Long.BYTES : layout.fileMetaLength();
            ByteBuffer told = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            rebuilt.readFully(layout.atEnd() ? maxFs - length : 0, told);
            return layout.atEnd()
                    ? told.getLong(0)
                    : layout.fileMeta(told.flip()).fs();
        }

        private void compare(String where, Member expected, ByteSource found, long length) throws IOException {
            int mismatch = expected.bytes.slice(0, (int) length).mismatch(read(found, length));
            if (mismatch >= 0) {
                outcome.differs(where + ": byte " + mismatch + " differs");
            }
        }

        /** In A and B the last byte of an odd file is the one with which the file is whole; it does not follow otherwise. */
        private RebuiltFile completed(RebuiltFile file, long size) throws IOException {
            for (int value = 0; value <= 0xff; value++) {
                RebuiltFile tried = file.withLastByte(value);
                ByteSource plain = new MemoryByteSource(read(tried, size));
                Findings findings = new Findings();
                new FtiFfVerifier(plain, FtiFfFile.read(plain), new LaneDigester()).verify(findings);
                if (findings.isEmpty()) {
                    return tried;
                }
            }
            return file;
        }
    }

    private static ByteBuffer read(ByteSource source, long length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) length);
        source.readFully(0, bytes);
        return bytes.flip();
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
}
