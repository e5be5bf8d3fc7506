package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A real engine that fails when told to and writes down what it does. Thread-safe.
 *
 * <p>While a journal is kept, changes are made one at a time, so that the journal has them in the order in which they
 * happened.
 */
public final class FaultyEngine implements StorageEngine {

    /** What can be made to fail. */
    public enum Operation {
        OPEN,
        /** Memory for transfers; fails with an OutOfMemoryError. */
        MEMORY,
        /** Started or not. */
        WRITE,
        READ,
        ALLOCATE,
        TRUNCATE,
        SYNC,
        CLOSE,
        RENAME,
        SYNC_DIRECTORY,
        CREATE_DIRECTORIES,
        DELETE
    }

    private record Fault(Operation operation, int count, int bytes, String errno) {}

    private static final int SLAB = 1 << 20;

    private final StorageEngine real;
    private final Map<Operation, Integer> counts = new EnumMap<>(Operation.class);
    private final Map<Path, Long> bytesRead = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private final Set<FaultyFile> open = new HashSet<>();
    private final boolean syncs;
    private CrashJournal journal;
    private int looks;
    private int flippedLook;
    private long flippedBit;
    private boolean flipped;

    public FaultyEngine(StorageEngine real) {
        this(real, true);
    }

    /** With {@code syncs} false, syncs are counted and fail when told to but take no time, nor does the clearing of slabs. */
    public FaultyEngine(StorageEngine real, boolean syncs) {
        this.real = real;
        this.syncs = syncs;
    }

    /**
     * Plans a failure: the operation does nothing and throws.
     *
     * @param nth 1 for the next operation of the kind
     * @param errno name, for example {@code EIO}
     */
    public synchronized void fail(Operation operation, int nth, String errno) {
        faults.add(new Fault(operation, counts.getOrDefault(operation, 0) + nth, 0, errno));
    }

    /**
     * Plans a write that stops in the middle.
     *
     * @param nth 1 for the next write
     * @param bytes how many are written before it fails; cut down to whole blocks in a direct file
     * @param errno name, for example {@code ENOSPC}
     */
    public synchronized void cut(int nth, int bytes, String errno) {
        faults.add(new Fault(Operation.WRITE, counts.getOrDefault(Operation.WRITE, 0) + nth, bytes, errno));
    }

    /**
     * Plans one wrong bit: what the {@code nth} read from now on brings differs from the file in it.
     *
     * @param nth 1 for the next read
     * @param bit which one, of as many as the read brings by turns
     */
    public synchronized void flip(int nth, long bit) {
        flippedLook = looks + nth;
        flippedBit = bit;
        flipped = false;
    }

    /** Whether the wrong bit that was planned last was read. */
    public synchronized boolean hasFlipped() {
        return flipped;
    }

    /** Counts a read; tells whether it is to bring a wrong bit. */
    private synchronized boolean isFlipped() {
        return ++looks == flippedLook;
    }

    private synchronized void flip(ByteBuffer bytes, int from, int count) {
        if (count > 0) {
            int at = from + (int) (flippedBit / Byte.SIZE % count);
            bytes.put(at, (byte) (bytes.get(at) ^ (1 << (flippedBit % Byte.SIZE))));
            flipped = true;
        }
    }

    /** Forgets all failures that were planned and have not happened. */
    public synchronized void heal() {
        faults.clear();
        flippedLook = 0;
    }

    /** How many operations of a kind were asked for so far. */
    public synchronized int count(Operation operation) {
        return counts.getOrDefault(operation, 0);
    }

    /** How many operations of each kind were asked for so far; those of which there were none are not in it. */
    public synchronized Map<Operation, Integer> counts() {
        return new EnumMap<>(counts);
    }

    /** The files that nobody has closed. */
    public synchronized List<Path> openFiles() {
        return open.stream().map(BlockFile::path).toList();
    }

    /** Bytes that were read from files below a folder, by the names under which they were opened. */
    public synchronized long bytesRead(Path root) {
        return bytesRead.entrySet().stream()
                .filter(file -> file.getKey().startsWith(root))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Starts a journal of all changes below a folder, which must be at rest; what is in it counts as durable.
     *
     * @param root a folder
     * @return the journal, which grows from now on
     */
    public synchronized CrashJournal record(Path root) throws IOException {
        journal = new CrashJournal(root);
        return journal;
    }

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public synchronized AlignedBuffer allocate(int size) {
        if (due(Operation.MEMORY) != null) {
            throw new OutOfMemoryError("injected " + Operation.MEMORY);
        }
        return syncs || size < SLAB ? real.allocate(size) : new ReusedBuffer(real, size);
    }

    @Override
    public synchronized BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        OpenMode.check(modes);
        check(Operation.OPEN, path, -1, -1);
        boolean existed = Files.exists(path);
        BlockFile file = real.open(path, modes);
        int handle = 0;
        if (journal != null) {
            // Through a link the name made is that of its target.
            Path made = path.toRealPath();
            if (!existed) {
                journal.created(made);
            }
            handle = journal.opened(made);
            if (handle > 0 && modes.contains(OpenMode.TRUNCATE)) {
                journal.lengthSet(handle, 0);
            }
        }
        FaultyFile opened = new FaultyFile(file, handle);
        open.add(opened);
        return opened;
    }

    private synchronized void countRead(Path path, long offset, int length) throws IOException {
        check(Operation.READ, path, offset, length);
        long there = Math.max(0, Files.size(path) - offset);
        bytesRead.merge(path, Math.min(length, there), Long::sum);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        check(Operation.RENAME, from, -1, -1);
        real.rename(from, to);
        if (journal != null) {
            journal.renamed(from, to);
        }
    }

    @Override
    public synchronized void link(Path existing, Path link) throws IOException {
        real.link(existing, link);
        if (journal != null) {
            journal.linked(existing, link);
        }
    }

    @Override
    public synchronized void syncDirectory(Path directory) throws IOException {
        check(Operation.SYNC_DIRECTORY, directory, -1, -1);
        if (syncs) {
            real.syncDirectory(directory);
        }
        if (journal != null) {
            journal.directorySynced(directory);
        }
    }

    @Override
    public synchronized void createDirectories(Path directory) throws IOException {
        check(Operation.CREATE_DIRECTORIES, directory, -1, -1);
        real.createDirectories(directory);
        if (journal != null) {
            journal.directoriesCreated(directory);
        }
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        check(Operation.DELETE, path, -1, -1);
        real.delete(path);
        if (journal != null) {
            journal.deleted(path);
        }
    }

    /** Counts the operation and throws when its turn to fail has come. */
    private void check(Operation operation, Path path, long offset, long length) throws DrumlinException {
        Fault fault = due(operation);
        if (fault != null) {
            throw injected(fault, path, offset, length);
        }
    }

    private Fault due(Operation operation) {
        int count = counts.merge(operation, 1, Integer::sum);
        return faults.stream()
                .filter(fault -> fault.operation == operation && fault.count == count)
                .findFirst()
                .orElse(null);
    }

    private static DrumlinException injected(Fault fault, Path path, long offset, long length) {
        return DrumlinException.during("injected " + fault.operation)
                .path(path)
                .range(offset, length)
                .errno(fault.errno)
                .exception();
    }

    /**
     * Memory that another buffer had before, with what was left in it. Tests open hundreds of runs, for which the JVM would
     * clear gigabytes.
     */
    private static final class ReusedBuffer extends AlignedBuffer {

        private static final Map<List<Object>, Queue<AlignedBuffer>> FREE = new ConcurrentHashMap<>();

        private final Queue<AlignedBuffer> free;
        private AlignedBuffer memory;

        ReusedBuffer(StorageEngine real, int size) {
            free = FREE.computeIfAbsent(List.of(real.name(), size), any -> new ConcurrentLinkedQueue<>());
            AlignedBuffer used = free.poll();
            memory = used == null ? real.allocate(size) : used;
            memory.buffer().clear();
        }

        @Override
        public ByteBuffer buffer() {
            if (memory == null) {
                throw new IllegalStateException("the buffer was closed");
            }
            return memory.buffer();
        }

        @Override
        public void close() {
            if (memory != null) {
                free.add(memory);
                memory = null;
            }
        }
    }

    private final class FaultyFile extends ForwardingFile {

        /** The journal kept when the file was opened, and what it calls the file; 0 when it leaves the file out. */
        private final CrashJournal recorder = journal;

        private final int handle;
        /** Numbers of started writes that nobody awaited yet. */
        private final Set<Integer> underWay = new HashSet<>();
        /** Injected failures of started writes that nobody awaited yet. */
        private final Set<IOException> unreported = new HashSet<>();

        FaultyFile(BlockFile file, int handle) {
            super(file);
            this.handle = handle;
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            Fault fault;
            synchronized (FaultyEngine.this) {
                fault = due(Operation.WRITE);
            }
            ByteBuffer taken = fault == null ? source : beginning(source, fault);
            int number = writeStarted(taken, offset);
            super.write(taken, offset);
            writeEnded(number);
            if (fault != null) {
                throw injected(fault, path(), offset, source.remaining());
            }
        }

        @Override
        public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
            Fault fault;
            synchronized (FaultyEngine.this) {
                fault = due(Operation.WRITE);
            }
            ByteBuffer taken = fault == null ? source : beginning(source, fault);
            int number = writeStarted(taken, offset);
            PendingWrite write = super.startWrite(taken, offset);
            DrumlinException failure = fault == null ? null : injected(fault, path(), offset, source.remaining());
            synchronized (FaultyEngine.this) {
                underWay.add(number);
                if (failure != null) {
                    unreported.add(failure);
                }
            }
            return () -> await(write, number, failure);
        }

        private void await(PendingWrite write, int number, IOException failure) throws IOException {
            write.await();
            synchronized (FaultyEngine.this) {
                if (underWay.remove(number)) {
                    writeEnded(number);
                }
                unreported.remove(failure);
            }
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            countRead(path(), offset, target.remaining());
            int from = target.position();
            boolean wrong = isFlipped();
            int count = super.read(target, offset);
            if (wrong) {
                flip(target, from, count);
            }
            return count;
        }

        @Override
        public PendingRead startRead(ByteBuffer target, long offset) throws IOException {
            countRead(path(), offset, target.remaining());
            int from = target.position();
            boolean wrong = isFlipped();
            PendingRead read = super.startRead(target, offset);
            return wrong ? flipping(read, target, from) : read;
        }

        private PendingRead flipping(PendingRead read, ByteBuffer target, int from) {
            return () -> {
                int count = read.await();
                flip(target, from, count);
                return count;
            };
        }

        @Override
        public void allocate(long size) throws IOException {
            synchronized (FaultyEngine.this) {
                check(Operation.ALLOCATE, path(), -1, size);
                super.allocate(size);
                if (handle > 0) {
                    recorder.lengthGrown(handle, size);
                }
            }
        }

        @Override
        public void reserve(long offset, long length) throws IOException {
            synchronized (FaultyEngine.this) {
                check(Operation.ALLOCATE, path(), offset, length);
                super.reserve(offset, length);
                if (handle > 0 && size() >= offset + length) {
                    recorder.lengthGrown(handle, offset + length);
                }
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (FaultyEngine.this) {
                check(Operation.TRUNCATE, path(), -1, size);
                super.truncate(size);
                if (handle > 0) {
                    recorder.lengthSet(handle, size);
                }
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (FaultyEngine.this) {
                check(Operation.SYNC, path(), -1, -1);
                if (syncs) {
                    super.sync();
                }
                if (handle > 0) {
                    recorder.synced(handle);
                }
            }
        }

        /** Closes the real file in any case: a failed close leaves nothing open. */
        @Override
        public void close() throws IOException {
            synchronized (FaultyEngine.this) {
                open.remove(this);
                super.close();
                underWay.forEach(this::writeEnded);
                underWay.clear();
                for (IOException failure : List.copyOf(unreported)) {
                    unreported.clear();
                    throw failure;
                }
                check(Operation.CLOSE, path(), -1, -1);
            }
        }

        private ByteBuffer beginning(ByteBuffer source, Fault fault) {
            int bytes = Math.min(fault.bytes, source.remaining());
            return source.slice(source.position(), bytes - bytes % alignment());
        }

        private int writeStarted(ByteBuffer source, long offset) {
            synchronized (FaultyEngine.this) {
                if (handle == 0 || !source.hasRemaining()) {
                    return 0;
                }
                byte[] content = new byte[source.remaining()];
                source.get(source.position(), content);
                return recorder.writeStarted(handle, offset, content);
            }
        }

        private void writeEnded(int number) {
            synchronized (FaultyEngine.this) {
                if (number > 0) {
                    recorder.writeEnded(number);
                }
            }
        }
    }
}
