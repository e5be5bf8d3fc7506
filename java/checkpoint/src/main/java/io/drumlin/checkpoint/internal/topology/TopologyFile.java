package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.ConfigValues;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.format.fti.IniFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** The content of {@code Topology.fti} (docs/formats/fti-run-directory.md, section 2). */
public final class TopologyFile {

    private static final String NODES = "topology";

    /** Drumlin's own section. C FTI ignores it, and all sections with this prefix. */
    private static final String DRUMLIN = "drumlin";

    /**
     * Prefix of the sections with previous orders of nodes, in which there may still be files; the newest has number 1.
     */
    private static final String PREVIOUS = DRUMLIN + ".former.";

    /** Suffix of the sections with the ranks of nodes. */
    private static final String OF_RANKS = ".ranks";

    /** Suffix of the sections with the ids of the nodes' disks. */
    private static final String OF_DISKS = ".disks";

    /** Key for how the ranks are numbered on real nodes. The files in the mode FTI-FF do not record this. */
    private static final String NUMBERING = "numbering";

    /** Key for the number of application ranks. The configuration, which also determines it, may change. */
    private static final String RANKS = "nb_procs";

    /** Key for the number of nodes in a group for partner copies and codes. */
    private static final String GROUP_SIZE = "group_size";

    /**
     * Key beside the names of nodes for the CRC-32C of all else. Without it a damaged list of ranks or disks would make
     * a restart look for files in the wrong places, and take an older checkpoint.
     */
    private static final String DIGEST = "digest";

    /** Most previous orders that are kept. */
    private static final int MOST_PREVIOUS = 3;

    /** Longest list of ranks in one line: C FTI reads lines of 1023 bytes. */
    private static final int LINE = 900;

    private static final int MOST_RANKS_OF_NODE = 256;

    private TopologyFile() {}

    /** Returns how the ranks of the run that wrote the file are numbered; empty if unknown, as for runs of C FTI. */
    public static Optional<Numbering> numbering(IniFile topology) {
        return topology.get(DRUMLIN, NUMBERING).map(TopologyFile::numbering);
    }

    private static Numbering numbering(String word) {
        for (Numbering numbering : Numbering.values()) {
            if (word(numbering).equals(word)) {
                return numbering;
            }
        }
        return Numbering.OTHER;
    }

    private static String word(Numbering numbering) {
        return numbering.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the number of application ranks; empty if unknown, as for runs of C FTI. */
    public static OptionalInt ranks(IniFile topology) {
        int ranks = ConfigValues.parseInteger(topology.get(DRUMLIN, RANKS).orElse(""));
        return ranks > 0 ? OptionalInt.of(ranks) : OptionalInt.empty();
    }

    /**
     * Refuses a {@code group_size} that differs from that of the run that wrote the file: the partners would differ,
     * and whole copies would be taken for damaged and replaced. It is unknown for runs of C FTI.
     */
    public static void requireGroupSize(IniFile topology, FtiConfig config, String name) throws DrumlinException {
        if (!isOfThisGroupSize(topology, config)) {
            int before = groupSize(topology);
            throw DrumlinException.during("restart")
                    .problem("the run has partner copies and codes in groups of " + before
                            + " nodes, and group_size is " + config.groupSize() + " now (" + name + ")")
                    .advice("set group_size = " + before + "; it stays the same until a run is completed")
                    .exception();
        }
    }

    /**
     * Returns whether the groups of nodes are as large as in the run that wrote the file, or whether that is unknown.
     */
    public static boolean isOfThisGroupSize(IniFile topology, FtiConfig config) {
        int before = groupSize(topology);
        return before <= 0 || before == config.groupSize();
    }

    /** Returns how many nodes made a group; not above 0 if unknown, as for runs of C FTI. */
    public static int groupSize(IniFile topology) {
        return ConfigValues.parseInteger(topology.get(DRUMLIN, GROUP_SIZE).orElse(""));
    }

    /** Returns the content as C FTI writes it: part of the configuration, and the node names. */
    public static String toIni(FtiConfig config, NodeOrder order, int ranksOfApplication) throws DrumlinException {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : config.ini().sections()) {
            if (!List.of("basic", "restart", "advanced", NODES).contains(section)) {
                sections.put(section, new LinkedHashMap<>(config.ini().section(section)));
            }
        }
        put(sections, order);
        if (order.numbering().isPresent()) {
            Map<String, String> ours = sections.computeIfAbsent(DRUMLIN, name -> new LinkedHashMap<>());
            ours.put(RANKS, Integer.toString(ranksOfApplication));
            ours.put(GROUP_SIZE, Integer.toString(config.groupSize()));
        }
        return sealed(sections);
    }

    /** Returns the text of the sections, with a digest if Drumlin has sections of its own in them. */
    private static String sealed(Map<String, Map<String, String>> sections) throws DrumlinException {
        String text = dump(sections);
        if (!sections.containsKey(DRUMLIN)) {
            return text;
        }
        // The first line of its section: a damaged end of the line before does not hide it.
        Map<String, String> nodes = new LinkedHashMap<>();
        nodes.put(DIGEST, digest(IniFile.parse(text, "Topology.fti")));
        nodes.putAll(sections.getOrDefault(NODES, Map.of()));
        sections.put(NODES, nodes);
        return dump(sections);
    }

    /** Returns the digest of what the file says, however it is set. */
    private static String digest(IniFile topology) {
        CRC32C crc = new CRC32C();
        for (String section : new TreeSet<>(topology.sections())) {
            Map<String, String> values = new TreeMap<>(topology.section(section));
            values.remove(DIGEST);
            crc.update((section + values).getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static void requireWhole(IniFile topology, String name) throws DrumlinException {
        Optional<String> known = topology.get(NODES, DIGEST);
        if (known.isPresent() && !known.get().equals(digest(topology))) {
            throw DrumlinException.during("reading " + name)
                    .problem("the file is damaged: its digest is " + digest(topology) + " and [" + NODES + "] " + DIGEST
                            + " is " + known.get())
                    .advice(
                            "mend the line that is wrong, or bring the file back from a backup; if someone has changed it"
                                    + " on purpose, delete the line of the digest")
                    .exception();
        }
    }

    /** A damaged configuration may have a value that can be read and not written. */
    private static String dump(Map<String, Map<String, String>> sections) throws DrumlinException {
        try {
            return IniFile.dump(sections);
        } catch (IllegalArgumentException e) {
            throw DrumlinException.during("writing Topology.fti")
                    .problem(unwritable(sections) + " of the configuration file has a character that no line can hold")
                    .advice("the file may be damaged: write this value again")
                    .exception();
        }
    }

    private static String unwritable(Map<String, Map<String, String>> sections) {
        for (Map.Entry<String, Map<String, String>> section : sections.entrySet()) {
            for (Map.Entry<String, String> value : section.getValue().entrySet()) {
                try {
                    IniFile.dump(Map.of(section.getKey(), Map.of(value.getKey(), value.getValue())));
                } catch (IllegalArgumentException e) {
                    return "[" + section.getKey() + "] " + value.getKey();
                }
            }
        }
        return "a value";
    }

    /** Puts an order into the sections as the present one. */
    private static void put(Map<String, Map<String, String>> sections, NodeOrder order) {
        sections.put(NODES, names(order.nodes()));
        order.numbering().ifPresent(numbering -> sections.computeIfAbsent(DRUMLIN, name -> new LinkedHashMap<>())
                .put(NUMBERING, word(numbering)));
        putParts(sections, DRUMLIN, order);
    }

    private static Map<String, String> names(List<NodeIdentity> nodes) {
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            names.put(Integer.toString(i), nodes.get(i).name());
        }
        return names;
    }

    /** Puts the ranks and the disks of an order into sections of their own. */
    private static void putParts(Map<String, Map<String, String>> sections, String section, NodeOrder order) {
        putRanks(sections, section + OF_RANKS, order);
        Map<String, String> disks = disks(order.nodes());
        if (!disks.isEmpty()) {
            sections.put(section + OF_DISKS, disks);
        }
    }

    private static Map<String, String> disks(List<NodeIdentity> nodes) {
        Map<String, String> disks = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            if (!nodes.get(i).disk().isEmpty()) {
                disks.put(Integer.toString(i), nodes.get(i).disk());
            }
        }
        return disks;
    }

    private static void putRanks(Map<String, Map<String, String>> sections, String section, NodeOrder order) {
        if (order.fileRanks().isEmpty()) {
            return;
        }
        Map<String, String> nodes = new LinkedHashMap<>();
        int ofNode = order.fileRanks().size() / order.nodes().size();
        for (int node = 0; node < order.nodes().size(); node++) {
            String ranks = RankRanges.of(order.fileRanks().subList(node * ofNode, (node + 1) * ofNode));
            String key = Integer.toString(node);
            while (ranks.length() > LINE) {
                int comma = ranks.lastIndexOf(',', LINE);
                nodes.put(key, ranks.substring(0, comma));
                ranks = ranks.substring(comma + 1);
                key += "+";
            }
            nodes.put(key, ranks);
        }
        sections.put(section, nodes);
    }

    /**
     * Returns the orders of nodes in which there may be files, the latest first.
     *
     * @param name name of the file, for messages
     */
    public static List<NodeOrder> orders(IniFile topology, String name) throws DrumlinException {
        requireWhole(topology, name);
        List<NodeOrder> orders = new ArrayList<>();
        orders.add(order(topology, name, NODES, DRUMLIN));
        for (int i = 1; topology.sections().contains(PREVIOUS + i); i++) {
            orders.add(order(topology, name, PREVIOUS + i, PREVIOUS + i));
        }
        return orders;
    }

    private static NodeOrder order(IniFile topology, String name, String nodes, String ours) throws DrumlinException {
        List<String> names = nodeNames(topology, nodes, name);
        Optional<Numbering> numbering = topology.get(ours, NUMBERING).map(TopologyFile::numbering);
        Map<String, String> lines = topology.section(ours + OF_RANKS);
        List<Integer> ranks = new ArrayList<>();
        for (int node = 0; node < names.size() && !lines.isEmpty(); node++) {
            String key = Integer.toString(node);
            do {
                ranks.addAll(RankRanges.parse(lines.getOrDefault(key, ""), MOST_RANKS_OF_NODE, name));
                key += "+";
            } while (lines.containsKey(key));
        }
        Map<String, String> disks = topology.section(ours + OF_DISKS);
        List<NodeIdentity> identities = IntStream.range(0, names.size())
                .mapToObj(node -> new NodeIdentity(names.get(node), disks.getOrDefault(Integer.toString(node), "")))
                .toList();
        return new NodeOrder(identities, numbering, ranks);
    }

    /**
     * Returns the file with the order of nodes of a restart. If the order changes, the old one is kept as a previous
     * order, because the nodes may still have files in it.
     *
     * @param text content of the file
     * @param name name of the file, for messages
     * @param now the new order, with as many nodes as the file names
     * @param used the index in {@link #orders} of the order in which the restart found its files; nodes were replaced
     *     in it
     */
    public static String withOrder(String text, String name, NodeOrder now, int used) throws DrumlinException {
        IniFile ini = IniFile.parse(text, name);
        List<NodeOrder> before = new ArrayList<>(orders(ini, name));
        before.add(0, before.remove(used).withReplacements(now.nodes()));
        if (used == 0 && before.get(0).isLike(now)) {
            return withNodes(ini, now.nodes());
        }
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : ini.sections()) {
            if (!section.equals(NODES) && !section.startsWith(DRUMLIN + ".")) {
                sections.put(section, new LinkedHashMap<>(ini.section(section)));
            }
        }
        put(sections, now);
        before.removeIf(order -> order.isLike(now));
        for (int i = 1; i <= Math.min(MOST_PREVIOUS, before.size()); i++) {
            NodeOrder previous = before.get(i - 1);
            Map<String, String> nodes = names(previous.nodes());
            previous.numbering().ifPresent(numbering -> nodes.put(NUMBERING, word(numbering)));
            sections.put(PREVIOUS + i, nodes);
            putParts(sections, PREVIOUS + i, previous);
        }
        return sealed(sections);
    }

    /** Returns the file with other nodes in their places. */
    private static String withNodes(IniFile ini, List<NodeIdentity> nodes) throws DrumlinException {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : ini.sections()) {
            sections.put(section, new LinkedHashMap<>(ini.section(section)));
        }
        Map<String, String> names = new LinkedHashMap<>(ini.section(NODES));
        names.remove(DIGEST);
        sections.put(NODES, names);
        Map<String, Map<String, String>> before = Map.copyOf(sections);
        sections.put(NODES, names(nodes));
        sections.put(DRUMLIN + OF_DISKS, disks(nodes));
        sections.values().removeIf(Map::isEmpty);
        return sections.equals(before) ? ini.text() : sealed(sections);
    }

    private static List<String> nodeNames(IniFile topology, String section, String name) throws DrumlinException {
        Map<String, String> nodes = new LinkedHashMap<>(topology.section(section));
        nodes.remove(section.equals(NODES) ? DIGEST : NUMBERING);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(Integer.toString(i));
            if (node == null) {
                throw DrumlinException.during("reading " + name)
                        .problem(String.format(Locale.ROOT, "[%s] %d is missing of %d nodes", section, i, nodes.size()))
                        .advice("the file is not whole: without it the nodes of the earlier run are not known")
                        .exception();
            }
            names.add(node);
        }
        if (names.isEmpty()) {
            throw DrumlinException.during("reading " + name)
                    .problem("[" + section + "] names no node")
                    .exception();
        }
        return names;
    }
}
