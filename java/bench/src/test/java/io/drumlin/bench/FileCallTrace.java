package io.drumlin.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The calls about names and directories that {@code strace} has written down of a {@link FileCallJob}: to open, look at,
 * list, make, rename, link and delete, and to sync a directory. Reads and writes, and the sync of a file's data, do not
 * count.
 */
final class FileCallTrace {

    /** What the first rank asks for at the begin of a phase, and each rank at the begin of a job. */
    static final String PHASE = "/drumlin-phase/";

    static final String RANK = "/drumlin-rank/";

    /** The name of what belongs to no phase. */
    static final String NONE = "none";

    /** Rank of the threads that belong to none. */
    private static final int BEHIND = -1;

    private static final Pattern LINE = Pattern.compile("(\\d+) +(\\w+)\\((.*)");

    /** Of an open file, which any thread may finish to read: these calls name nothing and ask no server of metadata. */
    private static final Pattern BY_DESCRIPTOR = Pattern.compile("\\d+<[^>]*>, \"\",.*");

    private static final Pattern MARK = Pattern.compile("\"(" + PHASE + "|" + RANK + ")([^\"]*)\"");

    private final String folder;
    private final Map<String, Map<Integer, Long>> phases = new LinkedHashMap<>();
    private final Map<String, Integer> rankOfThread = new HashMap<>();
    private String phase = "";

    private FileCallTrace(Path folder) {
        this.folder = folder.toString();
    }

    /**
     * The calls of a phase.
     *
     * @param all of all ranks, and of threads that work behind them
     * @param first of the first rank
     * @param firstOfNode most of the first rank of another node
     * @param ordinary most of another rank
     */
    record Calls(long all, long first, long firstOfNode, long ordinary) {}

    /**
     * Reads what {@code strace -f -y} has written.
     *
     * @param folder the folder of the job; other files do not count
     * @return the calls by phase, in the order of the phases
     */
    static Map<String, Calls> read(Path trace, Path folder, int ranks, int nodeSize) throws IOException {
        FileCallTrace read = new FileCallTrace(folder);
        try (Stream<String> lines = Files.lines(trace, StandardCharsets.ISO_8859_1)) {
            lines.forEach(read::line);
        }
        Map<String, Calls> calls = new LinkedHashMap<>();
        read.phases.forEach((phase, byRank) -> calls.put(
                phase,
                new Calls(
                        byRank.values().stream().mapToLong(Long::longValue).sum(),
                        byRank.getOrDefault(0, 0L),
                        most(byRank, ranks, rank -> rank > 0 && rank % nodeSize == 0),
                        most(byRank, ranks, rank -> rank % nodeSize > 0))));
        return calls;
    }

    private static long most(Map<Integer, Long> byRank, int ranks, IntPredicate which) {
        return IntStream.range(0, ranks)
                .filter(which)
                .mapToLong(rank -> byRank.getOrDefault(rank, 0L))
                .max()
                .orElse(0);
    }

    private void line(String line) {
        Matcher call = LINE.matcher(line);
        if (!call.matches()) {
            return;
        }
        String thread = call.group(1);
        Matcher mark = MARK.matcher(call.group(3));
        if (mark.find()) {
            if (mark.group(1).equals(PHASE)) {
                phase = mark.group(2);
                if (!phase.equals(NONE)) {
                    phases.putIfAbsent(phase, new HashMap<>());
                }
            } else {
                int rank = Integer.parseInt(mark.group(2));
                // The system may give the number of a thread that has ended to another one.
                rankOfThread.values().removeIf(before -> before == rank);
                rankOfThread.put(thread, rank);
            }
        } else if (phases.containsKey(phase)
                && call.group(3).contains(folder)
                && !BY_DESCRIPTOR.matcher(call.group(3)).matches()) {
            phases.get(phase).merge(rankOfThread.getOrDefault(thread, BEHIND), 1L, Long::sum);
        }
    }
}
