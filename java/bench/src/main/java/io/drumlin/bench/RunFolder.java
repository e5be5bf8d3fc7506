package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The folder of a run, in which each rank has a node of its own, and data to protect.
 *
 * @param path holds the configuration and all files of the run
 */
record RunFolder(Path path) {

    /** The one that is on the node of {@link #loseNode}, a neighbour of rank 0. */
    static final int LOST_RANK = 1;

    private static final long MIB = 1 << 20;

    /**
     * Makes the folder afresh. Collective.
     *
     * @param mode what {@code ckpt_io} says
     */
    static RunFolder create(Communicator comm, Path path, int mode) throws IOException {
        if (comm.rank() == 0) {
            create(path, comm.size(), mode);
        }
        comm.barrier();
        return new RunFolder(path);
    }

    /** Makes the folder afresh, for a number of ranks that is not that of a communicator. */
    static RunFolder create(Path path, int ranks, int mode) throws IOException {
        RunFolder folder = new RunFolder(path);
        delete(path);
        folder.writeConfig(ranks, mode);
        return folder;
    }

    Path config() {
        return path.resolve("config.fti");
    }

    /** A file of a rank that is none of the run. */
    Path ownFile(Communicator comm) {
        return path.resolve("raw-" + comm.rank());
    }

    private void writeConfig(int ranks, int mode) throws IOException {
        for (String root : List.of("Local", "Global", "Meta")) {
            Files.createDirectories(path.resolve(root));
        }
        Files.writeString(
                config(),
                String.format(
                        Locale.ROOT,
                        """
                [basic]
                node_size = 1
                group_size = %d
                ckpt_dir = %s/Local
                glbl_dir = %s/Global
                meta_dir = %s/Meta
                ckpt_io = %d
                verbosity = 3
                [restart]
                failure = 0
                [advanced]
                block_size = 1024
                local_test = 1
                """,
                        ranks,
                        path,
                        path,
                        path,
                        mode));
    }

    /** Deletes what {@link #LOST_RANK} has stored. */
    void loseNode() throws IOException {
        delete(path.resolve("Local/node" + LOST_RANK));
    }

    /** Deletes what all ranks have stored on their nodes. */
    void loseNodes() throws IOException {
        delete(path.resolve("Local"));
        Files.createDirectories(path.resolve("Local"));
    }

    /** Arrays as {@link #emptyArrays}, filled. Every rank has other values. */
    static List<double[]> arrays(int mib, int count, int rank) {
        List<double[]> arrays = emptyArrays(mib, count);
        SplittableRandom random = new SplittableRandom(rank);
        for (double[] array : arrays) {
            for (int i = 0; i < array.length; i++) {
                array[i] = random.nextDouble();
            }
        }
        return arrays;
    }

    /** Arrays that hold as many bytes in all whatever their number, the last one as many times the first as there are arrays. */
    static List<double[]> emptyArrays(int mib, int count) {
        long elements = mib * MIB / Double.BYTES;
        long parts = count * (count + 1L) / 2;
        List<double[]> arrays = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            arrays.add(new double[(int) (elements * i / parts)]);
        }
        long rest = elements - arrays.stream().mapToLong(a -> a.length).sum();
        arrays.add(new double[(int) rest]);
        return arrays;
    }

    /** Waits until nothing is left of checkpoints that were replaced or superseded, which are deleted in the background. */
    void awaitDeletion() throws IOException {
        try {
            while (isDeleting()) {
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    private boolean isDeleting() throws IOException {
        try (Stream<Path> found = Files.walk(path, 4)) {
            return found.map(file -> file.getFileName().toString())
                    .anyMatch(name -> name.startsWith("drumlin-replaced-") || name.startsWith("drumlin-dropped-"));
        } catch (UncheckedIOException | NoSuchFileException e) {
            return true;
        }
    }

    /** Makes all reads come from the device, as the raw ones do. */
    void dropFromPageCache() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(path)) {
            files = found.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Process process = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
                    .inheritIO()
                    .start();
            try {
                if (process.waitFor() != 0) {
                    throw new IOException("dd could not drop " + file + " from the page cache");
                }
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        }
    }

    /** Deletes the folder and all that is in it. */
    void delete() throws IOException {
        delete(path);
    }

    /** Deletes the folder and all that is in it. Collective. */
    void delete(Communicator comm) throws IOException {
        comm.barrier();
        if (comm.rank() == 0) {
            delete(path);
        }
        comm.barrier();
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    delete(child);
                }
            }
        }
        Files.deleteIfExists(path);
    }
}
