package io.drumlin.checkpoint.internal.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * By what a node is known: its name, and its disk, which may come back under another name.
 *
 * @param name name of the host
 * @param disk id of the run's directory on the node's own storage; empty if there is none
 */
public record NodeIdentity(String name, String disk) {

    /** No name contains it. */
    private static final String SEPARATOR = "\n";

    /** Returns nodes of which only the names are known. */
    public static List<NodeIdentity> named(List<String> names) {
        return names.stream().map(name -> new NodeIdentity(name, "")).toList();
    }

    /** Returns the content of a message from {@link #text()}. */
    static NodeIdentity parse(String text) {
        int end = text.indexOf(SEPARATOR);
        return end < 0 ? new NodeIdentity(text, "") : new NodeIdentity(text.substring(0, end), text.substring(end + 1));
    }

    String text() {
        return name + SEPARATOR + disk;
    }

    /** Returns whether this is the other node: the disk decides, or the name if the disk of one is unknown. */
    boolean is(NodeIdentity other) {
        boolean known = !disk.isEmpty() && !other.disk.isEmpty();
        return known ? disk.equals(other.disk) : name.equals(other.name);
    }

    /**
     * Returns the present node of each place. That is the node with the disk that the place had, then the node with its
     * name. The other nodes take the free places in order. A place that is still free keeps its earlier node.
     *
     * @param earlier the node of each place in an earlier run
     * @param now the present nodes, each with a name of its own
     */
    static List<NodeIdentity> inPlaces(List<NodeIdentity> earlier, List<NodeIdentity> now) {
        NodeIdentity[] places = new NodeIdentity[earlier.size()];
        Set<NodeIdentity> left = new LinkedHashSet<>(now);
        // Of two nodes with copies of one disk, the one that has not changed its name keeps the place.
        place(places, earlier, left, node -> node);
        place(places, earlier, left, NodeIdentity::disk);
        place(places, earlier, left, NodeIdentity::name);
        List<NodeIdentity> replacements = new ArrayList<>(left);
        for (int i = 0, next = 0; i < places.length; i++) {
            if (places[i] == null) {
                places[i] = next < replacements.size() ? replacements.get(next++) : earlier.get(i);
            }
        }
        return Arrays.asList(places);
    }

    /** Gives free places to nodes that have the same key as the earlier nodes there; an empty text is no key. */
    private static void place(
            NodeIdentity[] places,
            List<NodeIdentity> earlier,
            Set<NodeIdentity> left,
            Function<NodeIdentity, Object> key) {
        Map<Object, NodeIdentity> byKey = new HashMap<>();
        left.forEach(node -> byKey.putIfAbsent(key.apply(node), node));
        byKey.remove("");
        for (int i = 0; i < places.length; i++) {
            NodeIdentity found = places[i] == null ? byKey.remove(key.apply(earlier.get(i))) : null;
            if (found != null) {
                places[i] = found;
                left.remove(found);
            }
        }
    }
}
