package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** From an operation on, every operation fails, as if the process had been killed before it. */
public final class DyingEngine implements StorageEngine {

    private final StorageEngine real = new NioEngine();
    private final AtomicInteger left;

    public DyingEngine(int operations) {
        left = new AtomicInteger(operations);
    }

    /** Whether an operation was refused. */
    public boolean isDead() {
        return left.get() < 0;
    }

    private void count(Path path) throws DrumlinException {
        if (left.getAndUpdate(now -> now < 0 ? now : now - 1) <= 0) {
            throw DrumlinException.during("killed").path(path).errno("EIO").exception();
        }
    }

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        count(path);
        return real.open(path, modes);
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return real.allocate(size);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        count(from);
        real.rename(from, to);
    }

    @Override
    public void createDirectories(Path path) throws IOException {
        count(path);
        real.createDirectories(path);
    }

    @Override
    public void delete(Path path) throws IOException {
        // A missing file is no change.
        if (Files.exists(path)) {
            count(path);
        }
        real.delete(path);
    }

    @Override
    public void link(Path existing, Path link) throws IOException {
        count(link);
        real.link(existing, link);
    }

    @Override
    public void syncDirectory(Path path) throws IOException {
        count(path);
        real.syncDirectory(path);
    }
}
