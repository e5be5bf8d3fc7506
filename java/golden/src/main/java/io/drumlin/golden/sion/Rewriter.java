package io.drumlin.golden.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.golden.base.Outcome;
import io.drumlin.golden.sion.Manifest.Operation;
import io.drumlin.golden.sion.Manifest.PhysicalFile;
import io.drumlin.golden.sion.Pattern.Segment;
import io.drumlin.sion.MappedTask;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Makes the calls of a case, threads as ranks, and compares the files byte for byte but for the name stored in them. */
final class Rewriter {

    private static final int PREFIX_OFFSET = 52;
    private static final int PREFIX_LENGTH = 1024;

    private final Manifest manifest;
    private final Outcome outcome;

    Rewriter(Manifest manifest, Outcome outcome) {
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void rewrite() throws IOException {
        Path folder = Files.createTempDirectory("drumlin-golden");
        try {
            write(folder.resolve(manifest.open().file()));
            List<PhysicalFile> files = Stream.concat(manifest.files().stream(), manifest.buddyFiles().stream())
                    .toList();
            for (PhysicalFile file : files) {
                compare(file, folder.resolve(file.name()));
            }
            outcome.compared("written again: " + files.size() + " files byte for byte but for the stored name");
        } finally {
            CaseFiles.delete(folder);
        }
    }

    private void write(Path path) throws IOException {
        Manifest.Open open = manifest.open();
        if (open.api().startsWith("serial")) {
            long[] chunks = longs(open.chunkSizes());
            end(run(SionFile.create(path, chunks, longs(open.globalRanks()), options()), -1));
        } else if (open.processes() > 0) {
            ThreadCommunicator.run(open.processes(), world -> {
                List<MappedTask> tasks = new ArrayList<>();
                for (int task = 0; task < open.chunkSizes().size(); task++) {
                    if (open.owners().get(task) == world.rank()) {
                        tasks.add(new MappedTask(
                                task,
                                open.fileNumbers().get(task),
                                open.localRanks().get(task),
                                open.chunkSizes().get(task)));
                    }
                }
                end(run(SionFile.createMapped(path, world, tasks, options().files(open.files())), -1));
            });
        } else {
            ThreadCommunicator.run(open.chunkSizes().size(), world -> parallel(path, world));
        }
    }

    private void parallel(Path path, Communicator world) throws IOException {
        Manifest.Open open = manifest.open();
        SionOptions options = options();
        if (open.files() > 0) {
            options = options.files(open.files());
        } else {
            Communicator local = world.split(open.colors().get(world.rank()), world.rank());
            options = options.localCommunicator(local);
        }
        long chunkSize = open.chunkSizes().get(world.rank());
        SionOutput file = SionFile.create(path, world, chunkSize, options);
        run(file, world.rank());
        world.barrier();
        end(file);
        world.barrier();
    }

    /** Closes a file, or leaves it as a job does that dies. */
    private void end(SionOutput file) throws IOException {
        if (manifest.closed()) {
            file.close();
        } else {
            file.abandon();
        }
    }

    /** The words of C SIONlib's mode. */
    private SionOptions options() {
        Map<String, String> words = new HashMap<>();
        for (String word : manifest.open().mode().split(",", -1)) {
            int equals = word.indexOf('=');
            words.put(equals < 0 ? word : word.substring(0, equals), equals < 0 ? "" : word.substring(equals + 1));
        }
        SionOptions options = SionOptions.defaults()
                .fsBlockSize(manifest.open().fsBlockSize())
                .metadataOrder(order(manifest.bigEndianMetadata()))
                .payloadOrder(order(manifest.bigEndianPayload()));
        if (!manifest.closed()) {
            // Direct writes end with whole sectors, which closing cuts off and C does not make.
            options = options.buffered();
        }
        if (words.containsKey("keyval")) {
            options = options.keyValue();
        }
        if (words.containsKey("buddy")) {
            String copies = words.get("buddy");
            options = options.buddies(copies.isEmpty() ? 1 : Integer.parseInt(copies));
        }
        if (words.containsKey("collective")) {
            int size = Math.max(0, Integer.parseInt(words.getOrDefault("collsize", "0")));
            boolean merge = words.containsKey("cmerge") || words.containsKey("collectivemerge");
            options = merge ? options.merge(size) : options.collective(size);
        }
        return options;
    }

    private static ByteOrder order(boolean bigEndian) {
        return bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    /** Makes the calls of one rank, or of all tasks of this process with rank -1. */
    private SionOutput run(SionOutput file, int rank) throws IOException {
        List<Long> mine = file.tasks().stream()
                .map(task -> manifest.open().api().startsWith("serial") ? (long) task.localRank() : task.globalRank())
                .toList();
        Map<Long, Long> handedOver = new HashMap<>();
        for (Operation operation : manifest.operations()) {
            long task = operation.task() < 0 ? rank : operation.task();
            if (mine.contains(task)) {
                int size = operation.sizes().get(operation.task() < 0 ? (int) task : 0);
                call(file, operation, task, size, handedOver);
            }
        }
        if (!manifest.closed()) {
            for (long task : mine) {
                file.writer(task).flush();
            }
        }
        return file;
    }

    private void call(SionOutput file, Operation operation, long task, int size, Map<Long, Long> handedOver)
            throws IOException {
        if (operation.name().equals("ensure_free_space")) {
            file.writer(task).ensureFreeSpace(size);
            return;
        }
        long first = handedOver.getOrDefault(task, 0L);
        ByteBuffer data = manifest.pattern().bytes(new Segment((int) task, first, size));
        handedOver.put(task, first + size);
        switch (operation.name()) {
            case "fwrite" -> file.writer(task).write(data);
            case "fwrite_key" -> file.keyValueWriter(task).write(operation.key(), data);
            default -> file.writeCollective(data);
        }
    }

    private void compare(PhysicalFile expected, Path path) throws IOException {
        if (!Files.exists(path)) {
            outcome.differs(expected.name() + ": was not written again");
            return;
        }
        byte[] bytes = Files.readAllBytes(path);
        byte[] name = manifest.open().file().getBytes(StandardCharsets.UTF_8);
        ByteBuffer.wrap(bytes).position(PREFIX_OFFSET).put(name).put(new byte[PREFIX_LENGTH - name.length]);
        outcome.same(expected.name() + " written again: size", expected.size(), (long) bytes.length);
        outcome.same(
                expected.name() + " written again: sha256",
                expected.sha256(),
                SionCases.sha256(ByteBuffer.wrap(bytes)));
    }

    private static long[] longs(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }
}
