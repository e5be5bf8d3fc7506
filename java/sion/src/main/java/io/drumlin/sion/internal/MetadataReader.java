package io.drumlin.sion.internal;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.FormatException;
import io.drumlin.format.sion.Header;
import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.FileNames;
import io.drumlin.format.sion.internal.Meta2;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.format.sion.internal.TaskMapping;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metadata of a set of files at the first process and sends each process the metadata of its tasks. The
 * number of collective calls does not depend on the number of tasks.
 */
public final class MetadataReader {

    /** Bytes of block sizes that the root sends at once. */
    private static final long BATCH = 16L << 20;

    private static final int ENTRY = 8 * Long.BYTES;
    private static final int NONE = -1;

    /** The names of copies have two digits. */
    private static final int MOST_COPIES = 100;

    private static final System.Logger LOG = System.getLogger(MetadataReader.class.getName());

    /** Bytes that are read at once from the beginning and the end of a file. */
    private static final int WINDOW = 1 << 16;

    private final Communicator world;
    private final Path path;
    private final StorageEngine storage;
    private final Share share;

    /** At the root: the files that were read, with their metadata. */
    private final Map<Member, SionMeta> metas = new TreeMap<>();

    private Optional<TaskMapping> mapping = Optional.empty();

    /** The tasks that a process reads. */
    public enum Share {
        /** The task of its rank; the set must have as many tasks as there are processes. */
        OWN,
        /** The tasks that it names. */
        NAMED,
        /** An equal number of tasks for each process; the last process also reads the remainder. */
        EQUAL
    }

    /** A file of a set. Set 0 holds the files themselves, the sets above it their buddy copies. */
    private record Member(int set, int number) implements Comparable<Member> {

        static final int NORMAL = 0;

        Path in(Path path) {
            String name = path.toString();
            return Path.of(FileNames.member(set == NORMAL ? name : FileNames.buddy(name, set - 1), number));
        }

        @Override
        public int compareTo(Member other) {
            return set != other.set ? Integer.compare(set, other.set) : Integer.compare(number, other.number);
        }
    }

    /** The file of a task and its index there. */
    private record Location(Member member, int lrank) {}

    /** The metadata that a process receives. */
    public record Found(Header header, int taskCount, List<ReadTask> tasks) {}

    public MetadataReader(Communicator world, Path path, StorageEngine storage, Share share) {
        this.world = world;
        this.path = path;
        this.storage = storage;
        this.share = share;
    }

    /**
     * Reads the metadata. Collective.
     *
     * @param named the tasks of this process, as {@link Share} requires
     * @throws IOException on every process
     */
    public Found read(int[] named) throws IOException {
        long[] common = new long[9];
        String prefix = Agreement.call(world, "opening " + path, () -> {
            if (world.rank() != 0) {
                return "";
            }
            SionMeta first = readFirst();
            put(common, first.meta1().header(), taskCount(first));
            return first.meta1().header().prefix();
        });
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * common.length);
        bytes.asLongBuffer().put(common);
        world.bcast(bytes, 0);
        bytes.asLongBuffer().get(common);
        Header header = header(common, Agreement.bcast(world, prefix, 0));
        int taskCount = (int) common[0];
        int[] tasks = tasks(named, taskCount);
        return new Found(header, taskCount, handOut(tasks, taskCount));
    }

    private static void put(long[] common, Header header, int taskCount) {
        common[0] = taskCount;
        common[1] = header.order() == ByteOrder.BIG_ENDIAN ? 1 : 0;
        common[2] = header.bigEndianPayload() ? 1 : 0;
        common[3] = (long) header.version() << Integer.SIZE | header.patchLevel();
        common[4] = header.formatVersion();
        common[5] = header.fsBlockSize();
        common[6] = (long) header.files() << Integer.SIZE | header.fileNumber();
        common[7] = header.flag1();
        common[8] = header.flag2();
    }

    private static Header header(long[] common, String prefix) {
        return new Header(
                common[1] == 1 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN,
                common[2] == 1,
                (int) (common[3] >>> Integer.SIZE),
                (int) common[3],
                (int) common[4],
                (int) common[5],
                (int) (common[6] >>> Integer.SIZE),
                (int) common[6],
                common[7],
                common[8],
                prefix);
    }

    /** At the root: reads the named file or a buddy copy of it. */
    private SionMeta readFirst() throws IOException {
        Member first = readable(0);
        SionMeta meta = meta(first);
        if (meta.meta1().header().files() > 1 && meta.meta1().header().fileNumber() == 0) {
            mapping = Optional.of(normal(
                    meta.mapping().orElseThrow(),
                    first.set,
                    meta.meta1().header().files()));
        }
        return meta;
    }

    private int taskCount(SionMeta first) throws IOException {
        int count = mapping.map(TaskMapping::tasks).orElse(first.meta1().tasks());
        if (share == Share.OWN && count != world.size()) {
            throw DrumlinException.during("opening")
                    .path(path)
                    .problem("the file has " + count + " tasks, the communicator has " + world.size() + " processes")
                    .advice("use as many processes, or open it mapped")
                    .exception();
        }
        return count;
    }

    /**
     * Converts the mapping of a buddy copy. It counts the writing tasks as well; the mapping of normal files does not.
     */
    private static TaskMapping normal(TaskMapping mapping, int set, int files) {
        if (set == Member.NORMAL) {
            return mapping;
        }
        int[] counts = new int[files];
        for (int task = 0; task < mapping.tasks(); task++) {
            counts[mapping.fileNumber(task)]++;
        }
        int[] fileNumbers = new int[mapping.tasks()];
        int[] localRanks = new int[mapping.tasks()];
        for (int task = 0; task < mapping.tasks(); task++) {
            fileNumbers[task] = mapping.fileNumber(task);
            int writer = Math.floorMod(fileNumbers[task] - set, files);
            localRanks[task] = mapping.localRank(task) - counts[writer];
        }
        return TaskMapping.of(fileNumbers, localRanks);
    }

    /** Returns the file of a number, or its first readable buddy copy. */
    private Member readable(int number) throws IOException {
        Member member = new Member(Member.NORMAL, number);
        try {
            meta(member);
            return member;
        } catch (IOException e) {
            for (int set = 1; set <= MOST_COPIES; set++) {
                Member copy = new Member(set, number);
                try {
                    if (Files.exists(copy.in(path))) {
                        meta(copy);
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "{0} is read in the place of a file that cannot be: {1}",
                                copy.in(path),
                                e.getMessage());
                        return copy;
                    }
                } catch (IOException alsoLost) {
                    e.addSuppressed(alsoLost);
                }
            }
            throw e;
        }
    }

    /** Returns the metadata of a file that was closed. */
    private SionMeta meta(Member member) throws IOException {
        SionMeta known = metas.get(member);
        if (known != null) {
            return known;
        }
        Path file = member.in(path);
        SionMeta meta;
        try (BlockFile opened = storage.open(file, EnumSet.of(OpenMode.READ));
                ReadWindow source = new ReadWindow(storage, opened, WINDOW)) {
            meta = SionMeta.read(source);
        } catch (FormatException e) {
            throw e.in(file);
        }
        if (!meta.closed()) {
            throw DrumlinException.during("opening")
                    .path(file)
                    .problem("the file was never closed: how much the tasks wrote is not in it")
                    .advice("`drumlin sion repair` may save it")
                    .exception();
        }
        metas.put(member, meta);
        return meta;
    }

    /** At the root: finds the location of a task. */
    private Location locate(int task, int taskCount) throws IOException {
        if (task < 0 || task >= taskCount) {
            throw DrumlinException.during("opening")
                    .path(path)
                    .problem("there is no task " + task + ", only 0 to " + (taskCount - 1))
                    .exception();
        }
        int number = mapping.isPresent() ? mapping.get().fileNumber(task) : 0;
        int lrank = mapping.isPresent() ? mapping.get().localRank(task) : task;
        Member member = readable(number);
        Meta1 meta1 = meta(member).meta1();
        int writers = 0;
        while (member.set != Member.NORMAL && writers < meta1.tasks() && meta1.globalRank(writers) < 0) {
            writers++;
        }
        if (mapping.isPresent()) {
            checkMember(member, meta1, lrank + writers);
        }
        return new Location(member, lrank + writers);
    }

    private void checkMember(Member member, Meta1 meta1, int lrank) throws DrumlinException {
        boolean numbered = meta1.header().fileNumber() == member.number;
        if (!numbered || lrank < 0 || lrank >= meta1.tasks()) {
            throw DrumlinException.during("opening")
                    .path(member.in(path))
                    .problem(
                            numbered
                                    ? "the mapping in the first file of the set names task " + lrank
                                            + " of this file, which has " + meta1.tasks()
                                    : "the file says that it is number "
                                            + meta1.header().fileNumber() + " of its set, not " + member.number)
                    .advice("the files do not belong together")
                    .exception();
        }
    }

    private int[] tasks(int[] named, int taskCount) {
        if (share != Share.EQUAL) {
            return named;
        }
        int part = taskCount / world.size();
        int first = part * world.rank();
        int last = world.rank() == world.size() - 1 ? taskCount : first + part;
        return IntStream.range(first, last).toArray();
    }

    /** Sends each process the metadata of its tasks. Collective. */
    private List<ReadTask> handOut(int[] tasks, int taskCount) throws IOException {
        long most = Agreement.max(world, tasks.length);
        int perProcess = (int) most;
        boolean root = world.rank() == 0;
        ByteBuffer[] memory = new ByteBuffer[2];
        Agreement.run(world, "opening " + path, () -> {
            int all = root ? Math.multiplyExact(world.size(), perProcess) : 0;
            memory[0] = ByteBuffer.allocate(Math.multiplyExact(Integer.BYTES, all));
            memory[1] = ByteBuffer.allocate(Math.multiplyExact(ENTRY, all));
        });
        ByteBuffer all = memory[0];
        ByteBuffer entries = memory[1];
        int seats = all.capacity() / Integer.BYTES;
        ByteBuffer wanted = ByteBuffer.allocate(Integer.BYTES * perProcess);
        for (int seat = 0; seat < perProcess; seat++) {
            wanted.putInt(seat < tasks.length ? tasks[seat] : NONE);
        }
        world.gather(wanted.flip(), all, 0);
        Location[] locations = new Location[seats];
        Agreement.run(world, "opening " + path, () -> {
            for (int seat = 0; seat < seats; seat++) {
                int task = all.getInt(Integer.BYTES * seat);
                if (task != NONE) {
                    Location location = locate(task, taskCount);
                    locations[seat] = location;
                    put(entries.position(ENTRY * seat), location);
                }
            }
            entries.clear();
        });
        ByteBuffer own = ByteBuffer.allocate(ENTRY * perProcess);
        world.scatter(entries, own, 0);
        List<ReadTask> result = new ArrayList<>();
        for (int task : tasks) {
            result.add(get(own, task));
        }
        handOutSizes(result, perProcess, locations);
        return result;
    }

    private void put(ByteBuffer entry, Location location) throws IOException {
        SionMeta meta = meta(location.member);
        int lrank = location.lrank;
        entry.putLong(location.member.set).putLong(location.member.number).putLong(lrank);
        entry.putLong(meta.meta1().globalRank(lrank)).putLong(meta.meta1().chunkSize(lrank));
        entry.putLong(meta.meta1().start(lrank)).putLong(meta.meta1().globalSkip());
        entry.putLong(meta.meta2().orElseThrow().blocks(lrank));
    }

    private ReadTask get(ByteBuffer entry, int task) {
        Member member = new Member((int) entry.getLong(), (int) entry.getLong());
        return new ReadTask(
                task,
                member.in(path),
                member.number,
                (int) entry.getLong(),
                entry.getLong(),
                entry.getLong(),
                entry.getLong(),
                entry.getLong(),
                new long[(int) entry.getLong()]);
    }

    /** Fills in the block sizes, a few blocks of all tasks at a time. Collective. */
    private void handOutSizes(List<ReadTask> tasks, int perProcess, @Nullable Location[] locations) throws IOException {
        long most = Agreement.max(
                world,
                tasks.stream().mapToInt(task -> task.sizes().length).max().orElse(0));
        int seats = Math.max(1, world.size() * perProcess);
        int rows = (int) Math.max(1, Math.min(most, BATCH / Long.BYTES / seats));
        ByteBuffer all = ByteBuffer.allocate(Long.BYTES * rows * locations.length);
        ByteBuffer own = ByteBuffer.allocate(Long.BYTES * rows * perProcess);
        for (int first = 0; first < most; first += rows) {
            for (int seat = 0; seat < locations.length; seat++) {
                putSizes(all.position(Long.BYTES * rows * seat), locations[seat], first, rows);
            }
            world.scatter(all.clear(), own.clear(), 0);
            for (int task = 0; task < tasks.size(); task++) {
                long[] sizes = tasks.get(task).sizes();
                for (int block = first; block < Math.min(sizes.length, first + rows); block++) {
                    sizes[block] = own.getLong(Long.BYTES * (rows * task + block - first));
                }
            }
        }
    }

    private void putSizes(ByteBuffer target, @Nullable Location location, int first, int rows) {
        if (location == null) {
            return;
        }
        Meta2 blocks =
                Objects.requireNonNull(metas.get(location.member)).meta2().orElseThrow();
        for (int block = first; block < Math.min(blocks.blocks(location.lrank), first + rows); block++) {
            target.putLong(blocks.size(location.lrank, block));
        }
    }
}
