package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The phases of a job by one rank, and what the rank does in each. */
final class Phases {

    private final Communicator world;
    private final Marker marker;
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, List<Step>> phases = new LinkedHashMap<>();
    private final ThreadMeter heap = ThreadMeter.ofHeap();
    private String phase = "";
    private long allocated;

    /** Learns on each rank that a phase begins; without a name, that the last has ended. Collective. */
    @FunctionalInterface
    interface Marker {
        void begin(String phase, Communicator world) throws IOException;
    }

    /**
     * Watches what the calling thread does.
     *
     * @param folder all files of the job are in it
     * @param onNode what stands for the disks of the nodes, in the folder
     */
    Phases(Communicator world, String folder, String onNode, Marker marker) {
        this.world = world;
        this.marker = marker;
        WatchedFileSystemProvider.watchThread((kind, path) -> {
            if (path.startsWith(folder)) {
                steps.add(new FileOperation(kind, !path.startsWith(onNode), 1));
            }
        });
    }

    /** All ranks, whose calls are written down. */
    Communicator world() throws IOException {
        return heap.over(new CallRecorder(world, steps));
    }

    /** Begins a phase, and ends the one before. A phase without a name is not kept. Collective. */
    void begin(String next) throws IOException {
        if (!phase.isEmpty()) {
            steps.add(new Allocation(heap.total() - allocated));
            phases.put(phase, List.copyOf(steps));
        }
        steps.clear();
        phase = next;
        marker.begin(next, world);
        allocated = heap.total();
    }

    /** Ends the last phase, and returns what was done in each, in their order. Collective. */
    Map<String, List<Step>> end() throws IOException {
        begin("");
        return phases;
    }
}
