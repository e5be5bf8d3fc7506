package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.format.fti.IniFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The content of {@code Topology.fti} (docs/formats/fti-run-directory.md, section 2). */
final class TopologyFile {

    /** Ours: C FTI ignores it. */
    private static final String DRUMLIN = "drumlin";

    /** How the ranks are numbered where nodes are real: what the files of the mode FTI-FF do not tell. */
    private static final String NUMBERING = "numbering";

    private static final String BY_NODE = "node";

    /** How many ranks the application has: the configuration that tells it may change. */
    private static final String RANKS = "nb_procs";

    private TopologyFile() {}

    /** Whether the run that left it had its ranks numbered node by node; empty where that is not known, as of C FTI's runs. */
    static Optional<Boolean> numberedByNode(IniFile topology) {
        return topology.get(DRUMLIN, NUMBERING).map(BY_NODE::equals);
    }

    /** How many ranks the application had; empty where that is not known, as of C FTI's runs. */
    static OptionalInt ranks(IniFile topology) {
        int ranks = FtiConfig.parseInteger(topology.get(DRUMLIN, RANKS).orElse(""));
        return ranks > 0 ? OptionalInt.of(ranks) : OptionalInt.empty();
    }

    /** What C FTI leaves of the configuration, and the node names. */
    static String toIni(FtiConfig config, List<String> nodeNames, Topology topology) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : config.ini().sections()) {
            if (!List.of("basic", "restart", "advanced", "topology").contains(section)) {
                sections.put(section, new LinkedHashMap<>(config.ini().section(section)));
            }
        }
        Map<String, String> nodes = new LinkedHashMap<>();
        for (int i = 0; i < nodeNames.size(); i++) {
            nodes.put(Integer.toString(i), nodeNames.get(i));
        }
        sections.put("topology", nodes);
        if (!config.localTest()) {
            Map<String, String> ours = sections.computeIfAbsent(DRUMLIN, name -> new LinkedHashMap<>());
            ours.put(NUMBERING, topology.isNumberedByNode() ? BY_NODE : "other");
            ours.put(RANKS, Integer.toString(topology.ranksOfApplication()));
        }
        return IniFile.dump(sections);
    }

    /**
     * The same file with the nodes of a restart.
     *
     * @param text of the file
     * @param name of the file, for messages
     * @param nodeNames as many as it names
     */
    static String withNodeNames(String text, String name, List<String> nodeNames) throws DrumlinException {
        IniFile ini = IniFile.parse(text, name);
        for (int i = 0; i < nodeNames.size(); i++) {
            String key = Integer.toString(i);
            if (!ini.get("topology", key).equals(Optional.of(nodeNames.get(i)))) {
                ini = ini.with("topology", key, nodeNames.get(i));
            }
        }
        return ini.text();
    }

    /** The node names. */
    static List<String> nodeNames(IniFile topology, String name) throws DrumlinException {
        Map<String, String> nodes = topology.section("topology");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(Integer.toString(i));
            if (node == null) {
                throw DrumlinException.during("reading " + name)
                        .problem(String.format(Locale.ROOT, "[topology] %d is missing of %d nodes", i, nodes.size()))
                        .advice("the file is not whole: without it the nodes of the earlier run are not known")
                        .exception();
            }
            names.add(node);
        }
        if (names.isEmpty()) {
            throw DrumlinException.during("reading " + name)
                    .problem("[topology] names no node")
                    .exception();
        }
        return names;
    }
}
