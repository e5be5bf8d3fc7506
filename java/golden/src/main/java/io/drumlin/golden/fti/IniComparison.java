package io.drumlin.golden.fti;

import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.IniFile;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares the configuration, the topology and the list of checkpoints, each also with what is written for the same content. */
final class IniComparison {

    /** The form that {@code strftime} with {@code "%A %x - %H:%M:%S"} has in the C locale. */
    private static final String TIMESTAMP = "[A-Z][a-z]+day \\d\\d/\\d\\d/\\d\\d - \\d\\d:\\d\\d:\\d\\d";

    private static final int IO_MODE_OFFSET = 1000;

    private final Path directory;
    private final Manifest manifest;
    private final RunDirectories directories;
    private final Outcome outcome;

    IniComparison(Path directory, Manifest manifest, RunDirectories directories, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.directories = directories;
        this.outcome = outcome;
    }

    /**
     * Compares all of them.
     *
     * @param files contents by path
     * @param unvisited loses the paths that were compared
     */
    void compare(Map<String, byte[]> files, Set<String> unvisited) throws IOException {
        IniFile.parse(read("config.before.ini"), "config.before.ini");
        String after = read("config.after.ini");
        IniFile config = IniFile.parse(after, "config.after.ini");
        manifest.config().forEach((key, value) -> {
            String[] parts = key.split("\\.", 2);
            outcome.same(key, value, config.get(parts[0], parts[1]).orElse(""));
        });
        outcome.same(
                "exec_id", manifest.execId(), config.get("restart", "exec_id").orElse(""));
        outcome.same("config.after.ini written again", after, IniFile.dump(sections(config)));
        StringBuilder compared = new StringBuilder("configuration");
        byte[] topology = files.get(directories.metadata("Topology.fti"));
        if (topology != null) {
            outcome.same("Topology.fti made from the configuration", text(topology), topology(config));
            unvisited.remove(directories.metadata("Topology.fti"));
            compared.append(", topology");
        }
        byte[] list = files.get(directories.metadata("Checkpoint.fti"));
        if (list != null) {
            compareList(text(list));
            unvisited.remove(directories.metadata("Checkpoint.fti"));
            compared.append(", list of checkpoints");
        }
        outcome.compared(compared.toString());
    }

    private String read(String name) throws IOException {
        return Files.readString(directory.resolve(name), StandardCharsets.ISO_8859_1);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static Map<String, Map<String, String>> sections(IniFile ini) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        ini.sections().forEach(section -> sections.put(section, ini.section(section)));
        return sections;
    }

    private String topology(IniFile config) {
        Map<String, Map<String, String>> sections = sections(config);
        sections.keySet().removeAll(List.of("basic", "restart", "advanced"));
        Map<String, String> nodes = new LinkedHashMap<>();
        for (int i = 0; i < manifest.ranks() / manifest.config("basic.node_size"); i++) {
            nodes.put(Integer.toString(i), "node" + i);
        }
        sections.put("topology", nodes);
        return IniFile.dump(sections);
    }

    private void compareList(String text) throws IOException {
        IniFile list = IniFile.parse(text, "Checkpoint.fti");
        Map<String, Map<String, String>> expected = new LinkedHashMap<>();
        for (Checkpoint checkpoint : manifest.checkpoints()) {
            String section = "checkpoint_id." + checkpoint.id();
            String timestamp = list.get(section, "timestamp").orElse("");
            outcome.same(section + ": form of the timestamp", true, timestamp.matches(TIMESTAMP));
            boolean differential = checkpoint.type() == CkptType.DCP;
            Map<String, String> values = new LinkedHashMap<>();
            values.put("timestamp", timestamp);
            values.put("level", Integer.toString(differential ? 4 : checkpoint.level()));
            values.put("nb_procs", Integer.toString(manifest.places().size()));
            values.put(
                    "io_mode", Integer.toString(IO_MODE_OFFSET + manifest.mode().number()));
            values.put("is_dcp", Boolean.toString(differential));
            expected.put(section, values);
        }
        outcome.same("Checkpoint.fti made from the calls", text, IniFile.dump(expected));
    }
}
