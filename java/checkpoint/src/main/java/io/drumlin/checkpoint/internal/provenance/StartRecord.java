package io.drumlin.checkpoint.internal.provenance;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.events.JsonLine;
import io.drumlin.checkpoint.internal.lease.LeaseHolder;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.internal.HostName;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/** What is recorded of a start: by which program, where and how the run was opened. */
public final class StartRecord {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final int MOST_NODES = 64;
    private static final int MOST_CHARACTERS = 4000;

    private StartRecord() {}

    /**
     * Adds this start to the run's file of starts. A failure is a warning, because the run does not need the file.
     *
     * @param sameRanks whether {@code Topology.fti} has the nodes of this start
     */
    public static void add(Path configFile, FtiConfig config, RunDirectory run, int ranks, boolean sameRanks) {
        try {
            StartsFile.add(run.meta(), ascii(line(configFile, config, nodes(config, run, sameRanks), ranks)));
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "this start is not recorded in {0}: {1}",
                    StartsFile.file(run.meta()),
                    e.toString());
        }
    }

    private static List<String> nodes(FtiConfig config, RunDirectory run, boolean sameRanks) throws IOException {
        if (config.localTest() || !sameRanks) {
            return List.of(HostName.read());
        }
        Path file = run.topologyFile();
        IniFile topology = IniFile.parse(TextFiles.read(file), file.toString());
        return TopologyFile.orders(topology, file.toString()).get(0).nodes().stream()
                .map(NodeIdentity::name)
                .toList();
    }

    private static String line(Path configFile, FtiConfig config, List<String> nodes, int ranks) throws IOException {
        String[] command = System.getProperty("sun.java.command", "").strip().split("\\s+", 2);
        JsonLine line = new JsonLine()
                .add("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString())
                .add("program", cut(command[0]))
                .add("arguments", command.length > 1 ? cut(command[1]) : "")
                .add("java", System.getProperty("java.version", ""))
                .add("vm", System.getProperty("java.vm.name", "") + " " + System.getProperty("java.vm.version", ""))
                .add("drumlin", version())
                .add("nodes", nodes.subList(0, Math.min(nodes.size(), MOST_NODES)));
        if (nodes.size() > MOST_NODES) {
            line.add("more_nodes", (long) nodes.size() - MOST_NODES);
        }
        return line.add("ranks", (long) ranks)
                .add("node_size", (long) config.nodeSize())
                .add("group_size", (long) config.groupSize())
                .add("ckpt_io", (long) config.mode().number())
                .add("job", cut(LeaseHolder.here(System::getenv).job()))
                .add("config", configFile.toAbsolutePath().toString())
                .line();
    }

    private static String version() throws IOException {
        Module module = StartRecord.class.getModule();
        if (!module.isNamed()) {
            return Optional.ofNullable(StartRecord.class.getPackage().getImplementationVersion())
                    .orElse("");
        }
        if (module.getDescriptor().isAutomatic()) { // drumlin-all.jar; packages of modules have no attributes
            try (InputStream manifest = module.getResourceAsStream("META-INF/MANIFEST.MF")) {
                return new Manifest(manifest).getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
            }
        }
        return module.getDescriptor().rawVersion().orElse("");
    }

    private static String cut(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
    }

    /** Escapes what is no visible character of ASCII; in JSON such characters are only in strings. */
    private static String ascii(String line) {
        StringBuilder text = new StringBuilder(line.length());
        line.chars()
                .forEach(each -> text.append(
                        each == '\n' || (each >= ' ' && each < 0x7f)
                                ? Character.toString(each)
                                : String.format(Locale.ROOT, "\\u%04x", each)));
        return text.toString();
    }
}
