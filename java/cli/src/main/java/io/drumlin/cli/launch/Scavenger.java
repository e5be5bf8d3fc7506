package io.drumlin.cli.launch;

import io.drumlin.cli.base.Program;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.internal.scavenge.Scavenge;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Saves the datasets of SCR that are in the caches of nodes only, after a job has ended. Not thread-safe. */
final class Scavenger {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final ScrPrefix prefix;
    private final Duration patience;
    private final LaunchLog events;
    private final Scavenge scavenge;

    /** The datasets and nodes of the last try, if that did not save everything. */
    private Set<Object> failed = Set.of();

    /** @param patience longest time for which a node may say nothing */
    Scavenger(ScrPrefix prefix, Duration patience, LaunchLog events) {
        this.prefix = prefix;
        this.patience = patience;
        this.events = events;
        this.scavenge = new Scavenge(prefix, new NioEngine());
    }

    /**
     * Saves what is needed. A failure is an event.
     *
     * @param again whether to try what has failed before on the same nodes
     * @return whether there was nothing to do, or all was saved
     */
    boolean run(NodePool pool, boolean again) throws IOException, InterruptedException {
        try {
            ScrConfig config = ScrConfig.ofJob(System.getenv(), prefix.path());
            SortedSet<Integer> waiting = scavenge.waiting();
            if (waiting.isEmpty() || config.get("SCR_ENABLE").equals(Optional.of("0"))) {
                return true;
            }
            List<String> nodes = pool.reachable();
            Set<Object> work = Stream.concat(waiting.stream(), nodes.stream()).collect(Collectors.toSet());
            if (work.equals(failed) && !again) {
                return false;
            }
            Path control = config.controlDirectory();
            boolean all = scavenge.run((id, name) -> save(id, name, pool.shell(), nodes, control));
            failed = all ? Set.of() : work;
            return all;
        } catch (IOException e) {
            events.write("scavenge_failed", Map.of("error", String.valueOf(e.getMessage())));
            return false;
        } catch (Interrupted e) {
            throw e.cause;
        }
    }

    private boolean save(int id, String name, NodeShell shell, List<String> nodes, Path control) throws IOException {
        events.write("scavenge_start", Map.of("dataset", id, "name", name, "nodes", nodes));
        long begin = System.nanoTime();
        Map<String, Object> end = new TreeMap<>(Map.of("dataset", id, "name", name, "whole", false));
        try {
            SortedSet<Integer> copied = new TreeSet<>();
            if (scavenge.begin(id)) {
                copied.addAll(copy(id, shell, nodes, control, end));
            }
            end.put("rebuilt_ranks", scavenge.finish(id, copied).size());
            end.put("whole", true);
        } catch (IOException e) {
            end.put("error", String.valueOf(e.getMessage()));
        }
        end.put("seconds", Math.round((System.nanoTime() - begin) / NANOS_PER_MILLI) / MILLIS_PER_SECOND);
        events.write("scavenge_end", end);
        return Boolean.TRUE.equals(end.get("whole"));
    }

    private SortedSet<Integer> copy(int id, NodeShell shell, List<String> nodes, Path control, Map<String, Object> end)
            throws IOException {
        List<String> words = new ArrayList<>(Program.start());
        words.addAll(
                List.of("scavenge", "copy", "--prefix=" + prefix.path(), "--control=" + control, Integer.toString(id)));
        Map<String, List<String>> commands = new LinkedHashMap<>();
        nodes.forEach(node -> commands.put(node, shell.on(node, words)));
        NodeCopies copies;
        try {
            copies = new NodeCopies(commands, patience);
        } catch (InterruptedException e) {
            throw new Interrupted(e);
        }
        end.put("files", copies.files());
        end.put("bytes", copies.bytes());
        end.put("silent", copies.silent());
        end.put("problems", copies.problems());
        if (copies.isContested()) {
            throw new IOException("a node cannot tell whose its files are, see problems; nothing was made of them");
        }
        return copies.ranks();
    }

    /** Carries an interrupt through a step that knows none. */
    private static final class Interrupted extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient InterruptedException cause;

        private Interrupted(InterruptedException cause) {
            super(cause);
            this.cause = cause;
        }
    }
}
