package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * C FTI's cost model: what C FTI must at least do to take a checkpoint of level 1, done in C: two passes of MD5 over all bytes in
 * one stream, by OpenSSL, and one write of them through the page cache. C FTI's other costs are known as multiples of it
 * (docs/performance.md).
 */
final class CostModel {

    /** The bytes that C FTI hands to each call: its {@code transfer_size}. */
    private static final int PIECE = 16 << 20;

    private static final int PIECES = 16;
    private static final double GIB = 1L << 30;

    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);

    private CostModel() {
        while (piece.hasRemaining()) {
            piece.putLong(0x9E3779B97F4A7C15L * piece.position());
        }
    }

    /** Empty, which is said on standard error, where there is no OpenSSL: then costs have no limit. Collective. */
    static Optional<CostModel> ifAvailable(Communicator comm) throws IOException {
        CostModel model = new CostModel();
        String problem = "";
        try {
            LibCrypto.md5(model.piece, 1);
        } catch (LinkageError | IllegalStateException e) {
            problem = String.valueOf(e.getMessage());
        }
        long[] available = {problem.isEmpty() ? 1 : 0};
        comm.allreduce(available, Communicator.Op.MIN);
        if (!problem.isEmpty()) {
            System.err.println(
                    "bench: CPU rows have no limit, because C FTI's cost model needs libcrypto.so.3 of OpenSSL 3"
                            + " (Debian: libssl3): " + problem);
        }
        return available[0] == 1 ? Optional.of(model) : Optional.empty();
    }

    /**
     * Measures all ranks at the same time. Collective.
     *
     * @param path where this rank may write a file
     * @return CPU seconds per GiB, the mean of the ranks
     */
    double secondsPerGib(Communicator comm, Path path) throws IOException {
        comm.barrier();
        long begin = cpuTime();
        LibCrypto.md5(piece, PIECES);
        LibCrypto.md5(piece, PIECES);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int i = 0; i < PIECES; i++) {
                piece.clear();
                while (piece.hasRemaining()) {
                    file.write(piece);
                }
            }
        }
        long[] sum = {cpuTime() - begin};
        Files.delete(path);
        comm.allreduce(sum, Communicator.Op.SUM);
        return sum[0] / 1e9 * (GIB / PIECE / PIECES) / comm.size();
    }

    /** Returns the CPU time of this thread, which does all the work. It is finer than that of the process. */
    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
