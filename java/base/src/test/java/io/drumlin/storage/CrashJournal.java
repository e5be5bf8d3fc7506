package io.drumlin.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The changes that a {@link FaultyEngine} made below a folder, in order, and what a crash after any of them can leave.
 *
 * <p>The rules are those POSIX gives, not the kinder ones of a certain file system. When the process is killed, all that
 * ended stays, and writes under way are there in any part. When power fails, of everything that was not synced any part is
 * there, in any order: a write by sectors, a length, a creation, a deletion. Names become durable by a sync of their
 * directory, of which a rename needs that of the new name; a rename is there or not, never in half, and what happened to
 * one name or one file happened in order. Files that are
 * replayed are below 2 GiB. What had two names is written as two files. A file keeps the time at which it was made.
 */
public final class CrashJournal {

    /** The unit in which a device writes. */
    private static final int SECTOR = 512;

    /** How the job ended. */
    public enum Crash {
        /** The process was killed; the kernel lives on. */
        KILL,
        /** The node lost power. */
        POWER_LOSS
    }

    private interface Entry {
        void apply(State state);
    }

    private record Named(String text, Entry entry) {}

    private final Path root;
    private final Map<Path, byte[]> before = new TreeMap<>();
    private final Map<Path, FileTime> times = new HashMap<>();
    private final Set<Path> directoriesBefore = new HashSet<>();
    private final List<Named> entries = new ArrayList<>();
    private int handles;
    private int writes;

    CrashJournal(Path root) throws IOException {
        this.root = root.toRealPath();
        Files.walkFileTree(this.root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                before.put(directory, new byte[0]);
                directoriesBefore.add(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                before.put(file, Files.readAllBytes(file));
                times.put(file, attributes.lastModifiedTime());
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Number of entries: prefixes go from 0 to this. */
    public synchronized int size() {
        return entries.size();
    }

    /** The entries as text, such as {@code rename a/b.tmp -> a/b}; paths are relative to the folder. */
    public synchronized List<String> operations() {
        return entries.stream().map(Named::text).toList();
    }

    /**
     * Works out what a crash can leave.
     *
     * @param prefix how many entries had happened
     * @param crash how the job ended
     * @param random decides what survives of that which may or may not
     */
    public Remains crash(int prefix, Crash crash, Random random) {
        State state = new State();
        before.keySet().forEach(path -> state.addDurable(path, before.get(path), directoriesBefore.contains(path)));
        List<Named> happened;
        synchronized (this) {
            happened = List.copyOf(entries.subList(0, prefix));
        }
        happened.forEach(named -> named.entry.apply(state));
        // All, nothing and half are the cases that differ most.
        double survival = random.nextInt(3) / 2.0;
        state.crash(crash, survival, random);
        return new Remains(state.root);
    }

    /**
     * Makes what a crash can leave: {@link #crash} and {@link Remains#write}.
     *
     * @param directory an empty folder, which becomes what the recorded folder would be found as
     */
    public void replay(int prefix, Path directory, Crash crash, Random random) throws IOException {
        crash(prefix, crash, random).write(directory);
    }

    /** What the recorded folder is found as after a crash. */
    public static final class Remains {

        private final Directory root;

        private Remains(Directory root) {
            this.root = root;
        }

        /** The same for the same names and bytes, and most likely another for others. */
        public long checksum() {
            Checksum checksum = new CRC32C();
            root.addTo(checksum, "");
            return checksum.getValue();
        }

        /**
         * Puts them on disk.
         *
         * @param directory an empty folder, which becomes the recorded one
         */
        public void write(Path directory) throws IOException {
            root.write(directory);
        }
    }

    synchronized void created(Path path) {
        if (inside(path)) {
            FileTime now = FileTime.from(Instant.now());
            add("create " + relative(path), state -> state.link(path, new FileNode(now)));
        }
    }

    synchronized int opened(Path path) {
        if (!inside(path)) {
            return 0;
        }
        int handle = ++handles;
        add("open " + relative(path), state -> {
            // The system opens directories too, for reads that fail.
            if (state.find(path) instanceof FileNode node) {
                state.open.put(handle, node);
            }
        });
        return handle;
    }

    synchronized int writeStarted(int handle, long offset, byte[] content) {
        int number = ++writes;
        add("write " + content.length + " at " + offset + " #" + number, state -> {
            Change change = new Change(offset, content, false);
            state.open.get(handle).pending.add(change);
            state.writes.put(number, change);
        });
        return number;
    }

    synchronized void writeEnded(int number) {
        add("written #" + number, state -> state.writes.remove(number).ended = true);
    }

    synchronized void lengthSet(int handle, long size) {
        add("truncate to " + size, state -> state.open.get(handle).pending.add(Change.length(size, false)));
    }

    synchronized void lengthGrown(int handle, long size) {
        add("allocate " + size, state -> state.open.get(handle).pending.add(Change.length(size, true)));
    }

    synchronized void synced(int handle) {
        add("sync", state -> state.open.get(handle).sync());
    }

    synchronized void renamed(Path from, Path to) throws IOException {
        Path source = resolved(from);
        Path target = resolved(to);
        if (inside(source) && inside(target)) {
            add("rename " + relative(source) + " -> " + relative(target), state -> state.rename(source, target));
        }
    }

    synchronized void linked(Path existing, Path link) throws IOException {
        Path source = resolved(existing);
        Path target = resolved(link);
        if (inside(source) && inside(target)) {
            add("link " + relative(source) + " as " + relative(target), state -> state.addName(source, target));
        }
    }

    synchronized void deleted(Path path) throws IOException {
        Path name = resolved(path);
        if (inside(name)) {
            add("delete " + relative(name), state -> state.unlink(name));
        }
    }

    synchronized void directoriesCreated(Path path) throws IOException {
        Path directory = path.toRealPath();
        if (inside(directory)) {
            add("mkdir " + relative(directory), state -> state.makeDirectories(directory));
        }
    }

    synchronized void directorySynced(Path path) throws IOException {
        Path directory = path.toRealPath();
        if (inside(directory)) {
            add("sync directory " + relative(directory), state -> state.sync((Directory) state.find(directory)));
        }
    }

    private void add(String text, Entry entry) {
        entries.add(new Named(text, entry));
    }

    private boolean inside(Path path) {
        return path.startsWith(root);
    }

    private Path relative(Path path) {
        return root.relativize(path);
    }

    /** The path without links above its last name, which need not exist any more. */
    private static Path resolved(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        return parent != null && Files.exists(parent) ? parent.toRealPath().resolve(absolute.getFileName()) : absolute;
    }

    /** A change of a file that was not synced yet. */
    private static final class Change {

        private final long offset;
        /** {@code null} for a change of the length alone. */
        private final byte[] content;

        private final boolean onlyGrows;
        private boolean ended;

        Change(long offset, byte[] content, boolean onlyGrows) {
            this.offset = offset;
            this.content = content;
            this.onlyGrows = onlyGrows;
        }

        static Change length(long size, boolean onlyGrows) {
            Change change = new Change(size, null, onlyGrows);
            change.ended = true;
            return change;
        }

        byte[] apply(byte[] file) {
            int end = Math.toIntExact(content == null ? offset : offset + content.length);
            byte[] changed = file.length < end || (content == null && !onlyGrows) ? Arrays.copyOf(file, end) : file;
            if (content != null) {
                changed = changed == file ? file.clone() : changed;
                System.arraycopy(content, 0, changed, (int) offset, content.length);
            }
            return changed;
        }

        /** Applies each sector of the file that the change touches, or the length, if chance lets it. */
        byte[] applyInPart(byte[] file, double survival, Random random) {
            if (content == null) {
                return random.nextDouble() < survival ? apply(file) : file;
            }
            List<int[]> survivors = new ArrayList<>();
            int length = file.length;
            for (int at = 0; at < content.length; ) {
                int piece = (int) Math.min(SECTOR - (offset + at) % SECTOR, content.length - at);
                if (random.nextDouble() < survival) {
                    survivors.add(new int[] {at, piece});
                    length = Math.max(length, Math.toIntExact(offset + at + piece));
                }
                at += piece;
            }
            byte[] changed = Arrays.copyOf(file, length);
            survivors.forEach(part -> System.arraycopy(content, part[0], changed, (int) offset + part[0], part[1]));
            return changed;
        }
    }

    private abstract static class Node {
        abstract void write(Path path) throws IOException;

        /** Adds name and content. */
        abstract void addTo(Checksum checksum, String path);
    }

    private static final class FileNode extends Node {

        private final FileTime made;
        private byte[] durable = new byte[0];
        private final List<Change> pending = new ArrayList<>();

        FileNode(FileTime made) {
            this.made = made;
        }

        void sync() {
            for (Iterator<Change> changes = pending.iterator(); changes.hasNext(); ) {
                Change change = changes.next();
                if (change.ended) {
                    durable = change.apply(durable);
                    changes.remove();
                }
            }
        }

        void crash(Crash crash, double survival, Random random) {
            for (Change change : pending) {
                durable = crash == Crash.KILL && change.ended
                        ? change.apply(durable)
                        : change.applyInPart(durable, survival, random);
            }
            pending.clear();
        }

        @Override
        void write(Path path) throws IOException {
            Files.write(path, durable);
            Files.setLastModifiedTime(path, made);
        }

        @Override
        void addTo(Checksum checksum, String path) {
            checksum.update((path + " " + durable.length + "\n").getBytes(StandardCharsets.UTF_8));
            checksum.update(durable);
        }
    }

    private static final class Directory extends Node {

        private final Map<String, Node> live = new TreeMap<>();
        private final Map<String, Node> durable = new TreeMap<>();

        @Override
        void write(Path path) throws IOException {
            Files.createDirectories(path);
            for (Map.Entry<String, Node> entry : durable.entrySet()) {
                entry.getValue().write(path.resolve(entry.getKey()));
            }
        }

        @Override
        void addTo(Checksum checksum, String path) {
            checksum.update((path + "/\n").getBytes(StandardCharsets.UTF_8));
            durable.forEach((name, node) -> node.addTo(checksum, path + "/" + name));
        }
    }

    /** A change of names that was not synced yet; a side that is {@code null} does not exist. */
    private record NameChange(Directory from, String fromName, Directory to, String toName, Node node) {

        void applyLive() {
            if (from != null) {
                from.live.remove(fromName);
            }
            if (to != null) {
                to.live.put(toName, node);
            }
        }

        void applyDurable() {
            if (from != null) {
                from.durable.remove(fromName, node);
            }
            if (to != null) {
                to.durable.put(toName, node);
            }
        }

        boolean syncedBy(Directory directory) {
            return directory == (to == null ? from : to);
        }

        /** Whether this cannot be on the device without the other: they are about the same name or the same file. */
        boolean needs(NameChange earlier) {
            return node == earlier.node
                    || touches(earlier.from, earlier.fromName)
                    || touches(earlier.to, earlier.toName);
        }

        private boolean touches(Directory directory, String name) {
            return directory != null
                    && ((directory == from && name.equals(fromName)) || (directory == to && name.equals(toName)));
        }

        /** Renaming there, back and there again are three changes. */
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** The recorded folder after some entries: what processes see, and what is on the device. */
    private final class State {

        private final Directory root = new Directory();
        private final List<NameChange> pending = new ArrayList<>();
        private final List<FileNode> files = new ArrayList<>();
        private final Map<Integer, FileNode> open = new HashMap<>();
        private final Map<Integer, Change> writes = new HashMap<>();

        void addDurable(Path path, byte[] content, boolean isDirectory) {
            if (path.equals(CrashJournal.this.root)) {
                return;
            }
            Node node = isDirectory ? new Directory() : new FileNode(times.get(path));
            if (node instanceof FileNode file) {
                file.durable = content;
                files.add(file);
            }
            Directory parent = parent(path);
            parent.live.put(name(path), node);
            parent.durable.put(name(path), node);
        }

        Node find(Path path) {
            Node node = root;
            if (!path.equals(CrashJournal.this.root)) {
                for (Path name : relative(path)) {
                    node = node instanceof Directory directory ? directory.live.get(name.toString()) : null;
                }
            }
            return node;
        }

        void link(Path path, Node node) {
            if (node instanceof FileNode file) {
                files.add(file);
            }
            change(new NameChange(null, null, parent(path), name(path), node));
        }

        void addName(Path existing, Path path) {
            change(new NameChange(null, null, parent(path), name(path), find(existing)));
        }

        void unlink(Path path) {
            Node node = find(path);
            if (node != null) {
                change(new NameChange(parent(path), name(path), null, null, node));
            }
        }

        void rename(Path from, Path to) {
            change(new NameChange(parent(from), name(from), parent(to), name(to), find(from)));
        }

        void makeDirectories(Path path) {
            if (find(path) == null) {
                makeDirectories(path.getParent());
                link(path, new Directory());
            }
        }

        void sync(Directory directory) {
            for (NameChange change : List.copyOf(pending)) {
                if (change.syncedBy(directory)) {
                    persist(change);
                }
            }
        }

        void crash(Crash crash, double survival, Random random) {
            for (NameChange change : List.copyOf(pending)) {
                if (crash == Crash.KILL || random.nextDouble() < survival) {
                    persist(change);
                }
            }
            files.forEach(file -> file.crash(crash, survival, random));
        }

        private void persist(NameChange change) {
            int place = pending.indexOf(change);
            if (place < 0) {
                return;
            }
            List.copyOf(pending.subList(0, place)).stream()
                    .filter(change::needs)
                    .forEach(this::persist);
            change.applyDurable();
            pending.remove(change);
        }

        private void change(NameChange change) {
            change.applyLive();
            pending.add(change);
        }

        private Directory parent(Path path) {
            return (Directory) find(path.getParent());
        }

        private String name(Path path) {
            return path.getFileName().toString();
        }
    }
}
