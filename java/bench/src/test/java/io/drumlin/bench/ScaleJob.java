package io.drumlin.bench;

import io.drumlin.bench.ScaleModel.Work;
import io.drumlin.checkpoint.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The job of {@link ScaleModel} in a process of its own, in which {@link WatchedFileSystemProvider} has the file system, and what each
 * rank did.
 */
final class ScaleJob {

    /** All operations on files are seen; a short job of many ranks with buffers of 2 MiB each. */
    private static final List<String> WATCHED = List.of(
            "-D" + WatchedFileSystemProvider.PROPERTY + "=" + WatchedFileSystemProvider.class.getName(),
            "-Ddrumlin.storage=nio",
            "-XX:TieredStopAtLevel=1",
            "-XX:MaxDirectMemorySize=8g",
            "-XX:+UseSerialGC");

    /** Instead of a {@code ckpt_io}: {@link ScaleFormats}. */
    static final int FORMATS = 0;

    private ScaleJob() {}

    /**
     * Runs the job and prints what each rank did.
     *
     * @param args the folder, the number of ranks and {@code ckpt_io}, or {@value #FORMATS} for the other formats, and
     *     whether all levels are run, or only level 4
     * @throws IOException the job failed
     */
    public static void main(String[] args) throws IOException {
        Bench.quiet();
        Path folder = Path.of(args[0]);
        int size = Integer.parseInt(args[1]);
        int ioMode = Integer.parseInt(args[2]);
        List<Level> levels = Boolean.parseBoolean(args[3]) ? ScaleModel.LEVELS : List.of(Level.L4);
        List<Map<String, List<Step>>> ranks = ioMode == FORMATS
                ? ScaleFormats.run(folder, size)
                : ScaleModel.run(folder, size, ioMode, levels, (begun, world) -> {});
        for (int rank = 0; rank < ranks.size(); rank++) {
            int self = rank;
            ranks.get(rank).forEach((phase, steps) -> {
                Work work = Work.of(steps);
                System.out.println(String.join(
                        ";",
                        "rank",
                        Integer.toString(self),
                        phase,
                        Long.toString(work.calls()),
                        Integer.toString(work.schedule()),
                        Long.toString(work.bytes()),
                        Long.toString(work.shared()),
                        Long.toString(work.onNode()),
                        Long.toString(work.names()),
                        Long.toString(work.heap())));
            });
        }
    }

    /**
     * Runs the job in another process.
     *
     * @param folder an empty one
     * @param allLevels or level 4 alone, whose directories all ranks share
     * @return what each rank did, by phase
     */
    static List<Map<String, Work>> run(Path folder, int ranks, int ioMode, boolean allLevels)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        String job = Files.createDirectory(folder.resolve("job")).toString();
        FileCallJob.run(
                FileCallJob.java(
                        ScaleJob.class,
                        WATCHED,
                        job,
                        Integer.toString(ranks),
                        Integer.toString(ioMode),
                        Boolean.toString(allLevels)),
                output);
        List<Map<String, Work>> work = new ArrayList<>();
        try (Stream<String> lines = Files.lines(output)) {
            lines.map(line -> line.split(";", -1))
                    .filter(fields -> fields[0].equals("rank"))
                    .forEach(fields -> {
                        if (Integer.parseInt(fields[1]) == work.size()) {
                            work.add(new LinkedHashMap<>());
                        }
                        work.get(work.size() - 1)
                                .put(
                                        fields[2],
                                        new Work(
                                                Long.parseLong(fields[3]),
                                                Integer.parseInt(fields[4]),
                                                Long.parseLong(fields[5]),
                                                Long.parseLong(fields[6]),
                                                Long.parseLong(fields[7]),
                                                Long.parseLong(fields[8]),
                                                Long.parseLong(fields[9])));
                    });
        }
        return work;
    }
}
