package io.drumlin.cli.launch;

import io.drumlin.internal.Printable;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Copies a dataset from the caches of nodes, on all at the same time, by {@code drumlin scavenge copy}. */
final class NodeCopies {

    /** The lines that the command prints begin so; what shells and JVMs say does not. */
    static final String MARK = "scavenge: ";

    static final String PROGRESS = "progress";
    static final String RANK = "rank";
    static final String FILES = "files";
    static final String BYTES = "bytes";
    static final String PROBLEM = "problem";
    static final String CONTESTED = "contested";
    static final String END = "end";

    private static final int KEPT_LINES = 5;
    private static final long LOOK_MILLIS = 20;

    private final SortedSet<Integer> ranks = new TreeSet<>();
    private final List<String> silent = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private long files;
    private long bytes;
    private boolean contested;

    /**
     * Copies.
     *
     * @param commands the command line for each node
     * @param patience longest time for which a node may print nothing
     */
    NodeCopies(Map<String, List<String>> commands, Duration patience) throws InterruptedException {
        List<Node> running = new ArrayList<>();
        try {
            commands.forEach((name, line) -> running.add(new Node(name, line)));
            for (Node node : running) {
                node.await(patience);
                node.tell();
            }
        } finally {
            running.forEach(Node::stop);
        }
    }

    /** Returns the ranks of which everything was copied. */
    SortedSet<Integer> ranks() {
        return Collections.unmodifiableSortedSet(ranks);
    }

    long files() {
        return files;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the nodes that did not answer in time. */
    List<String> silent() {
        return Collections.unmodifiableList(silent);
    }

    /** Returns why something was not copied, with the names of nodes. */
    List<String> problems() {
        return Collections.unmodifiableList(problems);
    }

    /** Returns whether a node has files of which it cannot be told whose they are. Then the dataset must not be completed. */
    boolean isContested() {
        return contested;
    }

    /** A node and its process. Its reader thread and the caller share it. */
    private final class Node {

        private final String name;
        private final List<String[]> told = new ArrayList<>();
        private final Deque<String> lastLines = new ArrayDeque<>();
        private Process process;
        private volatile long lastHeard = System.nanoTime();
        private volatile boolean ended;
        private boolean late;
        private String notStarted = "";

        @SuppressWarnings("NullAway.Init") // process is used only if it was started
        private Node(String name, List<String> line) {
            this.name = name;
            try {
                process = new ProcessBuilder(line).redirectErrorStream(true).start();
                process.getOutputStream().close();
                Thread reader = new Thread(null, this::read, "drumlin-scavenge-" + name, 0, false);
                reader.setDaemon(true);
                reader.start();
            } catch (IOException e) {
                notStarted = String.valueOf(e.getMessage());
                ended = true;
            }
        }

        private void read() {
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    lastHeard = System.nanoTime();
                    hear(line);
                }
            } catch (IOException e) {
                hear(String.valueOf(e.getMessage()));
            }
            ended = true;
        }

        private synchronized void hear(String line) {
            if (line.startsWith(MARK)) {
                told.add(line.substring(MARK.length()).split(" ", 2));
                return;
            }
            lastLines.addLast(line);
            if (lastLines.size() > KEPT_LINES) {
                lastLines.removeFirst();
            }
        }

        private void await(Duration patience) throws InterruptedException {
            while (!ended && !late) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                late = System.nanoTime() - lastHeard > patience.toNanos();
            }
            if (late) {
                silent.add(name);
                problems.add(name + ": it said nothing for " + patience.toSeconds() + " s, and is left out");
            }
        }

        /** Takes what the node has told, unless it did not come to its end: then it counts as lost. */
        private synchronized void tell() {
            boolean whole = !late && told.stream().anyMatch(words -> words[0].equals(END));
            for (String[] words : told) {
                String value = words.length > 1 ? words[1] : "";
                switch (words[0]) {
                    case CONTESTED, PROBLEM -> {
                        contested |= words[0].equals(CONTESTED);
                        problems.add(name + ": " + value);
                    }
                    case RANK -> {
                        if (whole) {
                            ranks.add(Integer.parseInt(value));
                        }
                    }
                    case FILES -> files += Long.parseLong(value);
                    case BYTES -> bytes += Long.parseLong(value);
                    default -> {
                        // It only says that the node is alive.
                    }
                }
            }
            if (!whole && !late) {
                String words = notStarted.isEmpty() ? String.join(" / ", lastLines) : notStarted;
                problems.add(name + ": it did not finish: " + Printable.text(words));
            }
        }

        private void stop() {
            if (notStarted.isEmpty()) {
                process.destroyForcibly();
            }
        }
    }
}
