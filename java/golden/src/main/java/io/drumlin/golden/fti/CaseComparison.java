package io.drumlin.golden.fti;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.Release;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.fti.Checkpoint.Variable;
import io.drumlin.golden.fti.Manifest.StoredFile;
import io.drumlin.integrity.Gf16Engine;
import io.drumlin.integrity.ReedSolomon16;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the files of a case with what the calls of its program lead to: each metadata file is made from the calls and
 * compared byte for byte, each data file by value. Not thread-safe.
 */
final class CaseComparison {

    private static final Pattern DATA_NAME = Pattern.compile(".*/Ckpt(\\d+)-Rank(\\d+)\\.fti");

    private final Path directory;
    private final Manifest manifest;
    private final RunDirectories directories;
    private final Outcome outcome;

    private final Map<String, byte[]> files = new TreeMap<>();
    private final Set<String> unvisited = new TreeSet<>();
    private final Tally tally = new Tally();
    private boolean rewritable = true;

    CaseComparison(Path directory, Manifest manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.directories = new RunDirectories(manifest);
        this.outcome = outcome;
    }

    /** Counts what was compared, for the line of the case. */
    private static final class Tally {

        private int metadata;
        private int data;
        private int variables;
        private int copies;
        private int encoded;
        private int blocks;
        private int remains;
        private int layers;
    }

    /** Returns whether the same calls write the same files now. Differential checkpoints had other layouts. */
    boolean rewritable() {
        return rewritable;
    }

    void compare() throws IOException {
        readFiles();
        new IniComparison(directory, manifest, directories, outcome).compare(files, unvisited);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            MetadataPath metadata = MetadataPath.of(directories, file.getKey());
            if (metadata != null) {
                unvisited.remove(file.getKey());
                compareGroup(metadata, file.getValue());
            }
        }
        compareRemains();
        outcome.sameSets("files that nothing refers to", Set.of(), unvisited);
        outcome.compared(summary());
    }

    private String summary() {
        List<String> parts = new ArrayList<>();
        add(parts, tally.metadata, "metadata files made from the calls byte for byte");
        add(parts, tally.data, "data files");
        add(parts, tally.copies, "partner copies");
        add(parts, tally.encoded, "encoded files made from the data byte for byte");
        add(parts, tally.blocks, "blocks of a shared file");
        add(
                parts,
                tally.layers,
                "layers of differential checkpoints with their digests (metadata read and written again)");
        add(parts, tally.remains, "data files without metadata (left by a head)");
        add(parts, tally.variables, "variables by value");
        return String.join(", ", parts);
    }

    private static void add(List<String> parts, int count, String what) {
        if (count > 0) {
            parts.add(count + " " + what);
        }
    }

    private void readFiles() throws IOException {
        Path data = directory.resolve("data");
        Set<String> found;
        try (Stream<Path> paths = Files.walk(data)) {
            found = paths.filter(Files::isRegularFile)
                    .map(path -> directory.relativize(path).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        outcome.sameSets(
                "files", manifest.files().stream().map(StoredFile::path).collect(Collectors.toSet()), found);
        for (StoredFile file : manifest.files()) {
            if (found.contains(file.path())) {
                byte[] bytes = Files.readAllBytes(directory.resolve(file.path()));
                outcome.same(file.path() + ": size", file.size(), (long) bytes.length);
                outcome.same(file.path() + ": sha256 of the golden file", file.sha256(), digest("SHA-256", bytes));
                files.put(file.path(), bytes);
            }
        }
        unvisited.addAll(files.keySet());
    }

    /** The bytes of a file that something refers to. */
    private byte @Nullable [] visit(String path) {
        unvisited.remove(path);
        byte[] bytes = files.get(path);
        if (bytes == null) {
            outcome.differs(path + " is missing");
        }
        return bytes;
    }

    private void compareGroup(MetadataPath path, byte[] bytes) throws IOException {
        GroupMetadata metadata;
        try {
            metadata = GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
        } catch (FormatException e) {
            outcome.differs(path.path() + ": " + e.finding());
            return;
        }
        compareLines(path.path() + " written again", withoutInjection(bytes), metadata);
        Checkpoint checkpoint = checkpoint(metadata.ckptId(), metadata.type());
        if (checkpoint == null) {
            outcome.differs(path.path() + ": the calls take no checkpoint " + metadata.ckptId());
            return;
        }
        List<Place> members = manifest.places().stream()
                .filter(place -> place.sector() == path.sector() && place.group() == path.group())
                .sorted(Comparator.comparingInt(Place::groupRank))
                .toList();
        outcome.same(path.path() + ": members", members.size(), metadata.files().size());
        if (members.size() != metadata.files().size()) {
            return;
        }
        if (metadata.type() == CkptType.DCP) {
            compareDifferential(path, checkpoint, members, metadata);
            return;
        }
        compareLines(
                path.path() + " made from the calls",
                withoutInjection(bytes),
                expected(path, checkpoint, members, metadata));
        tally.metadata++;
        for (int i = 0; i < members.size(); i++) {
            compareMember(path, checkpoint, members, i);
        }
    }

    /** The newest with the id. */
    private @Nullable Checkpoint checkpoint(int id, CkptType type) {
        return manifest.checkpoints().stream()
                .filter(checkpoint -> checkpoint.id() == id && checkpoint.type() == type)
                .reduce((earlier, later) -> later)
                .orElse(null);
    }

    /** The metadata but for sizes, positions and digests, which the layers have to agree with. */
    private void compareDifferential(
            MetadataPath path, Checkpoint checkpoint, List<Place> members, GroupMetadata metadata) throws IOException {
        List<Checkpoint> differential = manifest.checkpoints().stream()
                .filter(each -> each.type() == CkptType.DCP)
                .toList();
        DifferentialComparison comparison = new DifferentialComparison(manifest.checkpoints(), outcome);
        int number = differential.indexOf(checkpoint) / manifest.stackSize();
        for (int i = 0; i < members.size(); i++) {
            Place member = members.get(i);
            FileEntry entry = metadata.files().get(i);
            String where = path.path() + " [" + i + "]";
            outcome.same(where + ": name", "dcp-id" + number + "-rank" + member.mpiRank() + ".fti", entry.name());
            outcome.same(
                    where + ": variables",
                    unplaced(variables(checkpoint, member), metadata.release()),
                    unplaced(entry.variables(), Release.V1_5));
            byte[] bytes = visit(directories.differential(entry.name()));
            if (bytes != null) {
                comparison.compare(entry.name(), entry, bytes, checkpoint.id(), metadata.release(), member.appRank());
            }
        }
        rewritable &= comparison.ofToday();
        tally.layers += comparison.layers();
        tally.variables += comparison.variables();
    }

    /** Without positions, and without types if the release writes none. */
    private static List<VariableEntry> unplaced(List<VariableEntry> variables, Release release) {
        boolean typed = release == Release.V1_5;
        return variables.stream()
                .map(v -> new VariableEntry(
                        v.id(),
                        typed ? v.typeId() : -1,
                        typed ? v.typeSize() : 1,
                        v.size(),
                        0,
                        v.name(),
                        v.idChar(),
                        v.dims()))
                .toList();
    }

    private void compareLines(String where, byte[] expected, GroupMetadata made) throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        made.write(written);
        List<String> golden = lines(expected);
        List<String> ours = lines(written.toByteArray());
        for (int i = 0; i < Math.min(golden.size(), ours.size()); i++) {
            outcome.same(where + ": line " + (i + 1), golden.get(i), ours.get(i));
        }
        outcome.same(where + ": lines", golden.size(), ours.size());
    }

    /** Up to v1.3 the file begins with a section of the configuration. */
    private static byte[] withoutInjection(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\n\n\n[");
        return text.startsWith("\n[injection]") && end > 0
                ? text.substring(end + 2).getBytes(StandardCharsets.ISO_8859_1)
                : bytes;
    }

    private static List<String> lines(byte[] text) {
        return List.of(new String(text, StandardCharsets.ISO_8859_1).split("\n", -1));
    }

    /** Returns the metadata that C FTI has to write. A checksum without meaning is taken as it was found. */
    private GroupMetadata expected(MetadataPath path, Checkpoint checkpoint, List<Place> members, GroupMetadata found) {
        List<ByteBuffer> data = data(checkpoint, members);
        int largest = largest(data);
        List<FileEntry> entries = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            Place member = members.get(i);
            boolean shared = directories.isShared(path.level());
            entries.add(new FileEntry(
                    RunDirectories.dataName(checkpoint.id(), member.mpiRank()),
                    data.get(i).remaining(),
                    largest,
                    shared
                            ? found.files().get(i).checksum()
                            : md5(data.get(i), found.files().get(i).checksum()),
                    variables(checkpoint, member),
                    List.of(),
                    checkpoint.level() == 3
                            ? md5(
                                    encoded(data, largest, i),
                                    found.files().get(i).checksum())
                            : null));
        }
        return new GroupMetadata(CkptType.FULL, checkpoint.id(), entries, false, Optional.empty(), found.release());
    }

    private static List<ByteBuffer> data(Checkpoint checkpoint, List<Place> members) {
        return members.stream().map(member -> checkpoint.data(member.appRank())).toList();
    }

    private static int largest(List<ByteBuffer> data) {
        return data.stream().mapToInt(ByteBuffer::remaining).max().orElse(0);
    }

    private static List<VariableEntry> variables(Checkpoint checkpoint, Place member) {
        Map<Integer, Long> positions = new TreeMap<>();
        long position = 0;
        for (int id : checkpoint.fileOrder()) {
            positions.put(id, position);
            position += checkpoint.variable(id).bytesOn(member.appRank());
        }
        List<VariableEntry> entries = new ArrayList<>();
        for (Variable variable : checkpoint.variables()) {
            entries.add(new VariableEntry(
                    variable.id(),
                    variable.type().id(),
                    variable.type().size(),
                    variable.bytesOn(member.appRank()),
                    positions.getOrDefault(variable.id(), 0L),
                    variable.name(),
                    variable.idChar(),
                    variable.dimensionsOn(member.appRank())));
        }
        return entries;
    }

    /** Returns the Reed-Solomon code of the data of a group. All data are padded with zeros to the length of the longest. */
    private static ByteBuffer encoded(List<ByteBuffer> data, int largest, int groupRank) {
        int wholeWords = largest + largest % Short.BYTES;
        List<ByteBuffer> padded = data.stream()
                .map(each -> ByteBuffer.allocateDirect(wholeWords)
                        .put(each.duplicate())
                        .clear())
                .toList();
        ByteBuffer sum = ByteBuffer.allocateDirect(wholeWords);
        Gf16Engine.regions().accumulate(sum, padded, new ReedSolomon16(data.size()).codingRow(groupRank));
        return ByteBuffer.allocate(largest).put(sum.limit(largest)).flip();
    }

    private void compareMember(MetadataPath path, Checkpoint checkpoint, List<Place> members, int groupRank) {
        Place member = members.get(groupRank);
        if (directories.isShared(path.level())) {
            compareBlock(path, checkpoint, member);
            return;
        }
        String name = RunDirectories.dataName(checkpoint.id(), member.mpiRank());
        compareData(path.data(directories, member, name), checkpoint, member.appRank());
        if (path.level() == 3) {
            List<ByteBuffer> data = data(checkpoint, members);
            String encoded = RunDirectories.name(checkpoint.id(), "RSed", member.mpiRank());
            compareBytes(path.data(directories, member, encoded), encoded(data, largest(data), groupRank));
            tally.encoded++;
        }
        if (path.level() == 2) {
            Place left = members.get(Math.floorMod(groupRank - 1, members.size()));
            String copy = RunDirectories.name(checkpoint.id(), "Pcof", member.mpiRank());
            compareBytes(path.data(directories, member, copy), checkpoint.data(left.appRank()));
            tally.copies++;
        }
    }

    private void compareData(String path, Checkpoint checkpoint, int appRank) {
        compareBytes(path, checkpoint.data(appRank));
        tally.data++;
        tally.variables += checkpoint.fileOrder().size();
    }

    private void compareBytes(String path, ByteBuffer expected) {
        byte[] bytes = visit(path);
        if (bytes != null) {
            compareBytes(path, expected, ByteBuffer.wrap(bytes));
        }
    }

    private void compareBytes(String where, ByteBuffer expected, ByteBuffer found) {
        outcome.same(where + ": bytes", expected.remaining(), found.remaining());
        int mismatch = expected.mismatch(found);
        if (mismatch >= 0 && mismatch < Math.min(expected.remaining(), found.remaining())) {
            outcome.same(where + ": byte " + mismatch, expected.get(mismatch), found.get(mismatch));
        }
    }

    private void compareBlock(MetadataPath path, Checkpoint checkpoint, Place member) {
        String name = path.data(directories, member, RunDirectories.sharedName(checkpoint.id()));
        byte[] shared = visit(name);
        if (shared == null) {
            return;
        }
        int start = manifest.places().stream()
                .filter(place -> place.appRank() < member.appRank())
                .mapToInt(place -> checkpoint.data(place.appRank()).remaining())
                .sum();
        ByteBuffer expected = checkpoint.data(member.appRank());
        int from = Math.min(start, shared.length);
        int length = Math.min(expected.remaining(), shared.length - from);
        compareBytes(
                name + ": block of rank " + member.mpiRank(),
                expected,
                ByteBuffer.wrap(shared, from, length).slice());
        tally.blocks++;
        tally.variables += checkpoint.fileOrder().size();
    }

    /** A head that copied the files of level 4 leaves them as level 1, without metadata. */
    private void compareRemains() {
        for (String path : List.copyOf(unvisited)) {
            Matcher name = DATA_NAME.matcher(path);
            Checkpoint checkpoint = name.matches() ? checkpoint(Integer.parseInt(name.group(1)), CkptType.FULL) : null;
            if (checkpoint != null) {
                int mpiRank = Integer.parseInt(name.group(2));
                manifest.places().stream()
                        .filter(place -> place.mpiRank() == mpiRank)
                        .forEach(place -> compareBytes(path, checkpoint.data(place.appRank())));
                tally.remains++;
            }
        }
    }

    /** The digest as it is in the metadata: the first release writes every second digit, and none at level 4. */
    private static String md5(ByteBuffer bytes, String found) {
        if (found.isEmpty()) {
            return "";
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        String md5 = digest("MD5", copy);
        return found.length() < md5.length() ? md5.replaceAll("(.).", "$1") : md5;
    }

    static String digest(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has " + algorithm, e);
        }
    }
}
