package io.drumlin.sion.internal;

import io.drumlin.DrumlinException;
import io.drumlin.sion.MappedTask;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The tasks that all processes request in one physical file, in the order of their local ranks. */
public final class FileRequest {

    /** Size in bytes of the entry with which a process requests a task. */
    public static final int BYTES = 4 * Long.BYTES;

    private static final long NONE = -1;

    private final int file;
    private final long[] globalRanks;
    private final long[] chunkSizes;
    private final int[] seats;

    private FileRequest(int file, int tasks) {
        this.file = file;
        this.globalRanks = new long[tasks];
        this.chunkSizes = new long[tasks];
        this.seats = new int[tasks];
        Arrays.fill(seats, (int) NONE);
    }

    /** Adds the entry of a task. */
    public static void put(ByteBuffer target, MappedTask task) {
        target.putLong(task.fileNumber()).putLong(task.localRank());
        target.putLong(task.globalRank()).putLong(task.chunkSize());
    }

    /** Adds an entry without a task, for a process that has fewer tasks than others. */
    public static void putNone(ByteBuffer target) {
        target.putLong(NONE).putLong(0).putLong(0).putLong(0);
    }

    /**
     * Sorts the requested tasks into files. Refuses gaps and duplicates.
     *
     * @param entries the entries of all processes, in the order of the seats
     * @param files number of files
     * @param expected number of files that must have a task here
     * @throws DrumlinException the tasks do not fill the files
     */
    public static List<FileRequest> of(ByteBuffer entries, int files, int expected, Path path) throws DrumlinException {
        int seats = entries.capacity() / BYTES;
        int[] counts = new int[files];
        for (int seat = 0; seat < seats; seat++) {
            long file = entries.getLong(BYTES * seat);
            if (file != NONE) {
                if (file < 0 || file >= files) {
                    throw refusal(path, "a task is to be in file " + file, "there are files 0 to " + (files - 1));
                }
                counts[(int) file]++;
            }
        }
        List<FileRequest> all = new ArrayList<>();
        for (int file = 0; file < files; file++) {
            all.add(new FileRequest(file, counts[file]));
        }
        for (int seat = 0; seat < seats; seat++) {
            ByteBuffer entry = entries.slice(BYTES * seat, BYTES);
            long file = entry.getLong();
            if (file != NONE) {
                all.get((int) file).take(entry, seat, path);
            }
        }
        all.removeIf(file -> file.seats.length == 0);
        if (all.size() < expected) {
            throw refusal(path, "only " + all.size() + " of " + files + " files have a task", "give every file one");
        }
        return all;
    }

    private void take(ByteBuffer entry, int seat, Path path) throws DrumlinException {
        long lrank = entry.getLong();
        if (lrank < 0 || lrank >= seats.length || seats[(int) lrank] != NONE) {
            throw refusal(
                    path,
                    "the " + seats.length + " tasks of file " + file + " do not have the local ranks 0 to "
                            + (seats.length - 1) + ": " + lrank + " is out of range or there twice",
                    "number them without gaps");
        }
        seats[(int) lrank] = seat;
        globalRanks[(int) lrank] = entry.getLong();
        long request = entry.getLong();
        if (request < 0) {
            throw refusal(path, "a task asks for a chunk of " + request + " bytes", "ask for 0 or more");
        }
        chunkSizes[(int) lrank] = request;
    }

    /** Refuses gaps and duplicates in the global ranks, which are the indexes of a mapping. */
    public static void checkGlobalRanks(List<FileRequest> files, Path path) throws DrumlinException {
        long[] ranks = files.stream()
                .flatMapToLong(file -> Arrays.stream(file.globalRanks))
                .sorted()
                .toArray();
        for (int rank = 0; rank < ranks.length; rank++) {
            if (ranks[rank] != rank) {
                throw refusal(
                        path,
                        "the " + ranks.length + " tasks do not have the global ranks 0 to " + (ranks.length - 1) + ": "
                                + ranks[rank] + " is out of range or there twice",
                        "number them without gaps");
            }
        }
    }

    private static DrumlinException refusal(Path path, String problem, String advice) {
        return DrumlinException.during("creation")
                .path(path)
                .problem(problem)
                .advice(advice)
                .exception();
    }

    /** Returns the number of the physical file. */
    public int file() {
        return file;
    }

    /** Returns the global rank of each task. The array is not a copy. */
    public long[] globalRanks() {
        return globalRanks;
    }

    /** Returns the chunk size in bytes that each task requests. The array is not a copy. */
    public long[] chunkSizes() {
        return chunkSizes;
    }

    /** Returns the seat of each task, that is its index among the entries of all processes. The array is not a copy. */
    public int[] seats() {
        return seats;
    }
}
