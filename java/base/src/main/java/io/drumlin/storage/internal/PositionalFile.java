package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A block file on top of single calls that name their offset and may move fewer bytes than requested.
 *
 * <p>It checks arguments and moves the bytes that a short call leaves. It carries out started transfers on
 * {@link TransferThreads}, unless an engine has a queue of its own. It keeps the file open until all transfers have
 * ended, because a descriptor that is closed too early may already belong to another file.
 */
abstract class PositionalFile implements BlockFile {

    private final Path path;
    private final int alignment;

    private final Object gate = new Object();
    /** Number of calls and started writes under way; guarded by gate. */
    private int active;
    /** Guarded by gate. */
    private boolean closed;
    /** Failures of started writes that nobody has awaited yet; guarded by gate. */
    private final Set<IOException> unreported = new LinkedHashSet<>();

    /** Makes the object for an open file; {@code alignment} is 1 if the file is not direct. */
    PositionalFile(Path path, int alignment) {
        this.path = path;
        this.alignment = alignment;
    }

    /** Checks modes before a path is opened, and that no device or pipe is opened to read. */
    static void checkOpen(Path path, Set<OpenMode> modes) throws IOException {
        OpenMode.check(modes);
        if (modes.contains(OpenMode.READ)) {
            PathStatus.requireNoDevice(path);
        }
    }

    /** Writes some bytes between position and limit, at least one, and returns their number. May move the position. */
    abstract int writeOnce(ByteBuffer source, long offset) throws IOException;

    /** Reads some bytes between position and limit and returns their number, 0 at the end. May move the position. */
    abstract int readOnce(ByteBuffer target, long offset) throws IOException;

    abstract long length() throws IOException;

    abstract void reserveTo(long size) throws IOException;

    abstract void reserveRange(long offset, long length) throws IOException;

    abstract void writeBack(long offset, long length) throws IOException;

    abstract void setLength(long size) throws IOException;

    abstract void flush() throws IOException;

    abstract void release() throws IOException;

    @Override
    public final Path path() {
        return path;
    }

    @Override
    public final boolean direct() {
        return alignment > 1;
    }

    @Override
    public final int alignment() {
        return alignment;
    }

    @Override
    public final long size() throws IOException {
        long[] size = new long[1];
        call("size query", -1, () -> size[0] = length());
        return size[0];
    }

    @Override
    public final void write(ByteBuffer source, long offset) throws IOException {
        check(source, offset);
        enter("write");
        try {
            writeFully(source.duplicate(), offset);
        } finally {
            leave();
        }
    }

    @Override
    public final PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
        if (!source.isDirect()) {
            throw new IllegalArgumentException("a started write needs a direct buffer: " + path);
        }
        check(source, offset);
        enter("write");
        try {
            return launch(source, offset);
        } finally {
            leave();
        }
    }

    /** Starts a write of all bytes between position and limit, which the caller may change afterwards. */
    PendingWrite launch(ByteBuffer source, long offset) throws IOException {
        CompletableFuture<Integer> end = start("write", source.duplicate(), offset, this::launchedWrite);
        return () -> await(end);
    }

    @Override
    public final PendingRead startRead(ByteBuffer target, long offset) throws IOException {
        if (!target.isDirect() || target.isReadOnly()) {
            throw new IllegalArgumentException("a started read needs a direct buffer that can be written: " + path);
        }
        check(target, offset);
        enter("read");
        try {
            return launchRead(target, offset);
        } finally {
            leave();
        }
    }

    /** Starts a read of all bytes between position and limit, which the caller may change afterwards. */
    PendingRead launchRead(ByteBuffer target, long offset) throws IOException {
        CompletableFuture<Integer> end = start("read", target.duplicate(), offset, this::readFully);
        return () -> await(end);
    }

    private CompletableFuture<Integer> start(String operation, ByteBuffer rest, long offset, Transfer transfer)
            throws IOException {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        enter(operation);
        boolean accepted = false;
        try {
            TransferThreads.execute(() -> perform(rest, offset, end, transfer));
            accepted = true;
        } finally {
            if (!accepted) {
                leave();
            }
        }
        return end;
    }

    /**
     * Completes the launched transfers that end only when somebody waits for them. Nothing is launched after this call.
     */
    void endLaunched() {}

    @Override
    public final int read(ByteBuffer target, long offset) throws IOException {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("cannot read into a read-only buffer: " + path);
        }
        check(target, offset);
        enter("read");
        try {
            return readFully(target.duplicate(), offset);
        } finally {
            leave();
        }
    }

    @Override
    public final void allocate(long size) throws IOException {
        checkNotNegative("size", size);
        call("allocation", size, () -> reserveTo(size));
    }

    @Override
    public final void reserve(long offset, long length) throws IOException {
        checkRange(offset, length);
        call("reservation", length, () -> reserveRange(offset, length));
    }

    @Override
    public final void startWriteback(long offset, long length) throws IOException {
        checkRange(offset, length);
        call("writeback", length, () -> writeBack(offset, length));
    }

    private void checkRange(long offset, long length) {
        checkNotNegative("offset", offset);
        if (length < 1) {
            throw new IllegalArgumentException("a range of " + length + " bytes: " + path);
        }
    }

    @Override
    public final void truncate(long size) throws IOException {
        checkNotNegative("size", size);
        call("truncation", size, () -> setLength(size));
    }

    @Override
    public final void sync() throws IOException {
        call("sync", -1, this::flush);
    }

    @Override
    public final void close() throws IOException {
        if (!shut()) {
            return;
        }
        IOException failure = takeUnreported();
        try {
            release();
        } catch (IOException e) {
            DrumlinException closing = explain("close", -1, -1, e, "");
            if (failure == null) {
                failure = closing;
            } else {
                failure.addSuppressed(closing);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void check(ByteBuffer memory, long offset) {
        checkNotNegative("offset", offset);
        if (!direct()) {
            return;
        }
        if (!memory.isDirect()) {
            throw new IllegalArgumentException("direct I/O needs a direct buffer: " + path);
        }
        checkAligned("offset", offset);
        checkAligned("length", memory.remaining());
        checkAligned("memory address", memory.alignmentOffset(memory.position(), alignment));
    }

    private void checkNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative " + what + " " + value + ": " + path);
        }
    }

    private void checkAligned(String what, long value) {
        if ((value & (alignment - 1)) != 0) {
            throw new IllegalArgumentException("direct I/O needs a " + what + " that is a multiple of " + alignment
                    + ", but " + value % alignment + " bytes are over: " + path);
        }
    }

    private void writeFully(ByteBuffer rest, long offset) throws IOException {
        int start = rest.position();
        int end = rest.limit();
        int at = start;
        try {
            while (at < end) {
                rest.limit(end).position(at);
                int moved = wholeBlocks(writeOnce(rest, offset + at - start), end - at);
                if (moved <= 0) {
                    throw new IOException("the system wrote less than a block and gave no reason");
                }
                at += moved;
            }
        } catch (IOException e) {
            throw explain("write", offset, end - start, e, ", after " + (at - start) + " bytes");
        } catch (RuntimeException | InternalError e) {
            throw explain("write", offset, end - start, goneMemory(e), "");
        }
    }

    private int readFully(ByteBuffer rest, long offset) throws IOException {
        int start = rest.position();
        int end = rest.limit();
        int at = start;
        try {
            while (at < end) {
                rest.limit(end).position(at);
                int moved = readOnce(rest, offset + at - start);
                at += Math.max(moved, 0);
                // A direct read ends within a block only at the end of the file.
                if (moved <= 0 || moved % alignment != 0) {
                    break;
                }
            }
            return at - start;
        } catch (IOException e) {
            throw explain("read", offset, end - start, e, ", after " + (at - start) + " bytes");
        } catch (RuntimeException | InternalError e) {
            throw explain("read", offset, end - start, goneMemory(e), "");
        }
    }

    /**
     * Explains the exception that the virtual machine throws if an Arena was closed, belongs to another thread, or a
     * mapped file became shorter.
     */
    private static IOException goneMemory(Throwable failure) {
        return new IOException("the memory of the buffer cannot be used (" + failure.getMessage() + ")", failure);
    }

    /** A short direct write that ended within a block continues at the beginning of that block. */
    private int wholeBlocks(int moved, int asked) {
        return moved == asked ? moved : moved - moved % alignment;
    }

    /** Transfers all bytes between position and limit and returns their number. */
    private interface Transfer {
        int move(ByteBuffer rest, long offset) throws IOException;
    }

    private int launchedWrite(ByteBuffer rest, long offset) throws IOException {
        int length = rest.remaining();
        try {
            writeFully(rest, offset);
        } catch (IOException e) {
            keepUnreported(e);
            throw e;
        }
        return length;
    }

    private void perform(ByteBuffer rest, long offset, CompletableFuture<Integer> end, Transfer transfer) {
        try {
            end.complete(transfer.move(rest, offset));
        } catch (IOException e) {
            end.completeExceptionally(e);
        } catch (Throwable e) {
            end.completeExceptionally(e);
            throw e;
        } finally {
            leave();
        }
    }

    private int await(CompletableFuture<Integer> end) throws IOException {
        try {
            return end.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException failure) {
                forgetUnreported(failure);
                throw failure;
            }
            throw e;
        }
    }

    /** Keeps the failure of a launched write. Closing the file reports it, unless it is forgotten before. */
    final void keepUnreported(IOException failure) {
        synchronized (gate) {
            unreported.add(failure);
        }
    }

    final void forgetUnreported(IOException failure) {
        synchronized (gate) {
            unreported.remove(failure);
        }
    }

    private void call(String operation, long size, Call body) throws IOException {
        enter(operation);
        try {
            body.run();
        } catch (IOException e) {
            throw explain(operation, -1, size, e, "");
        } finally {
            leave();
        }
    }

    private void enter(String operation) throws IOException {
        synchronized (gate) {
            if (closed) {
                throw explain(operation, -1, -1, new ClosedChannelException(), "");
            }
            active++;
        }
    }

    /** Records the end of a call or launched write. */
    private void leave() {
        synchronized (gate) {
            active--;
            gate.notifyAll();
        }
    }

    /**
     * Admits no more calls and waits, despite interrupts, until all have ended. Returns false if that has been done
     * before.
     */
    private boolean shut() {
        synchronized (gate) {
            if (closed) {
                return false;
            }
            closed = true;
            boolean interrupted = false;
            while (active > 0) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        endLaunched();
        return true;
    }

    private @Nullable IOException takeUnreported() {
        synchronized (gate) {
            IOException first = null;
            for (IOException failure : unreported) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
            unreported.clear();
            return first;
        }
    }

    final DrumlinException explain(String operation, long offset, long length, IOException failure, String progress) {
        DrumlinException.Context context =
                DrumlinException.during(operation).path(path).range(offset, length);
        return Errno.explain(context, failure, progress + freeSpace(failure));
    }

    /** Adds the free space to a failure for lack of space. */
    private String freeSpace(IOException failure) {
        if (Errno.of(failure).filter(errno -> errno == Errno.ENOSPC).isEmpty()) {
            return "";
        }
        try {
            return ", " + Files.getFileStore(path).getUsableSpace() + " bytes are free";
        } catch (IOException e) {
            return "";
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    /**
     * The daemon threads of this JVM that carry out started transfers for engines without a queue in the kernel.
     * Thread-safe.
     */
    private static final class TransferThreads {

        /** Enough to keep an NVMe device busy. The threads wait in the kernel and take hardly any CPU time. */
        private static final int THREADS = 8;

        /** Largest number of transfers that have started and not ended. */
        private static final int IN_FLIGHT = 64;

        private static final Semaphore SLOTS = new Semaphore(IN_FLIGHT);
        private static final ThreadPoolExecutor POOL = makePool();

        private TransferThreads() {}

        /**
         * Makes a thread do {@code work}, which must not throw. Blocks while too many transfers are under way. If the
         * system gives no thread ({@code ulimit -u}), the caller does the work.
         */
        static void execute(Runnable work) {
            SLOTS.acquireUninterruptibly();
            Once once = new Once(work);
            try {
                POOL.execute(once);
            } catch (OutOfMemoryError e) {
                // Thread.start throws this error. The pool may have accepted the work even so.
                once.run();
            }
        }

        /** The first thread to call it does the work. */
        private static final class Once implements Runnable {

            private final AtomicReference<@Nullable Runnable> work;

            Once(Runnable work) {
                this.work = new AtomicReference<>(work);
            }

            @Override
            public void run() {
                Runnable mine = work.getAndSet(null);
                if (mine != null) {
                    try {
                        mine.run();
                    } finally {
                        SLOTS.release();
                    }
                }
            }
        }

        private static ThreadPoolExecutor makePool() {
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), TransferThreads::makeThread);
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }

        private static Thread makeThread(Runnable loop) {
            Thread thread = new Thread(null, loop, "drumlin-transfer", 0, false);
            thread.setDaemon(true);
            // The pool outlives the thread that started the first transfer and must not hold its class loader.
            thread.setContextClassLoader(null);
            return thread;
        }
    }
}
