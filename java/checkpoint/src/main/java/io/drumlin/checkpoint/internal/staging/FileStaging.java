package io.drumlin.checkpoint.internal.staging;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.StageRequest;
import io.drumlin.checkpoint.Staging;
import io.drumlin.checkpoint.internal.io.FileCopy;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Copies staged files at once, or in a separate thread. */
public final class FileStaging implements Staging {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** While one slab is being written, the other is filled. */
    private static final int SLABS = 2;

    private final Path directory;
    private final StorageEngine storage;
    private final SlabPool slabs;
    private final Optional<ExecutorService> thread;
    private final List<StageTransfer> unfinished = new ArrayList<>();

    /**
     * Creates the staging; copies nothing yet.
     *
     * @param directory an existing directory on this rank's node
     * @param asynchronous whether a thread copies
     * @param slabBytes bytes of a slab
     */
    public FileStaging(Path directory, StorageEngine storage, boolean asynchronous, int slabBytes) {
        this.directory = directory;
        this.storage = storage;
        slabs = new SlabPool(storage, SLABS, slabBytes);
        thread = asynchronous ? Optional.of(Executors.newSingleThreadExecutor(FileStaging::thread)) : Optional.empty();
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "drumlin-staging");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public StageRequest send(Path local, Path remote) throws IOException {
        StageTransfer request = new StageTransfer(local, remote);
        if (thread.isPresent()) {
            unfinished.removeIf(earlier -> earlier.state() == StageRequest.State.DONE);
            unfinished.add(request);
            thread.get().execute(() -> copyBehind(request));
        } else {
            copy(request);
            storage.delete(local);
        }
        return request;
    }

    private void copyBehind(StageTransfer request) {
        try {
            copy(request);
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, e.getMessage());
        }
    }

    private void copy(StageTransfer request) throws IOException {
        request.active();
        try {
            copy(request.local(), request.remote().toAbsolutePath());
            request.done();
        } catch (Throwable e) {
            IOException failure = DrumlinException.during("staging " + request.local())
                    .path(request.remote())
                    .problem(String.valueOf(e.getMessage()))
                    .advice("the local file is still there")
                    .cause(e)
                    .exception();
            request.failed(failure);
            throw failure;
        }
    }

    private void copy(Path local, Path remote) throws IOException {
        if (PathStatus.exists(local) && PathStatus.exists(remote) && Files.isSameFile(local, remote)) {
            throw DrumlinException.during("copy")
                    .path(local)
                    .problem("it is the same file as " + remote + ", which would be deleted with it")
                    .advice("send it to another name")
                    .exception();
        }
        Path part = remote.resolveSibling(remote.getFileName() + ".drumlin-part");
        try {
            makePrivate(part);
            new FileCopy(storage, slabs).copy(local, 0, PathStatus.size(local), part);
            allowAs(local, part);
            storage.rename(part, remote);
        } catch (Throwable e) {
            try {
                storage.delete(part);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        storage.syncDirectory(Objects.requireNonNull(remote.getParent(), "an absolute path of a file"));
    }

    /** Makes an empty file that only its owner can read, in place of one that an attempt before has left. */
    private void makePrivate(Path part) throws IOException {
        storage.delete(part);
        storage.open(part, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.PRIVATE))
                .close();
    }

    /** Lets those read the copy who can read the local file, and nobody else. */
    private static void allowAs(Path local, Path part) throws IOException {
        try {
            Files.setPosixFilePermissions(part, Files.getPosixFilePermissions(local));
        } catch (IOException e) {
            throw IoFailures.explain("giving the copy the permissions of " + local, part, e);
        }
    }

    /**
     * Waits for the files under way.
     *
     * @return whether all files that a thread had to copy have arrived
     */
    public boolean finish() {
        thread.ifPresent(FileStaging::await);
        return unfinished.stream().allMatch(request -> request.state() == StageRequest.State.DONE);
    }

    /** Waits for the files under way, and frees the memory. */
    public void close() {
        finish();
        slabs.close();
    }

    private static void await(ExecutorService thread) {
        thread.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (thread.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException e) {
                // A file that was accepted must still be sent after an interrupt.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A file that {@link FileStaging} copies. Thread-safe. */
    private static final class StageTransfer implements StageRequest {

        private final Path local;
        private final Path remote;
        private volatile State state = State.PENDING;
        private volatile @Nullable IOException failure;

        StageTransfer(Path local, Path remote) {
            this.local = local;
            this.remote = remote;
        }

        void active() {
            state = State.ACTIVE;
        }

        void done() {
            state = State.DONE;
        }

        void failed(IOException cause) {
            failure = cause;
            state = State.FAILED;
        }

        @Override
        public Path local() {
            return local;
        }

        @Override
        public Path remote() {
            return remote;
        }

        @Override
        public State state() {
            return state;
        }

        @Override
        public Optional<IOException> failure() {
            return Optional.ofNullable(failure);
        }
    }
}
