package io.drumlin.cli.run;

import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.launch.JobCommand;
import io.drumlin.cli.launch.KnownNodes;
import io.drumlin.cli.launch.NodePool;
import io.drumlin.cli.launch.NodeShell;
import io.drumlin.internal.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The hosts on which {@code drumlin run delete} deletes the directories of a run, too. */
final class RunHosts {

    /** Begins the line that names other nodes. A host says that of the others. */
    static final String NOT_SEEN = "Not seen from this machine: ";

    @Option(
            names = {"--hosts", "--hostfile"},
            paramLabel = "FILE",
            description =
                    "Delete the run's directories below ckpt_dir on these nodes, too. FILE is one as drumlin launch reads"
                            + " it. If one of them cannot be asked before, nothing is deleted.")
    private @Nullable Path file;

    @Option(
            names = "--probe",
            paramLabel = "COMMAND",
            description = "COMMAND NODE PROGRAM runs a program on a node. Otherwise ssh.")
    private @Nullable String probe;

    boolean isGiven() {
        return file != null;
    }

    /**
     * Runs {@code drumlin run delete} on all hosts at the same time and prints what each of them says.
     *
     * @return the hosts on which it failed
     */
    List<String> delete(Path config, String execId, List<String> options, PrintWriter out) throws IOException {
        JobCommand job = new JobCommand(List.of(), JobCommand.Launcher.OTHER);
        // Relative directories of the configuration are those of the working directory.
        List<String> words =
                new ArrayList<>(List.of("env", "--chdir=" + Path.of("").toAbsolutePath()));
        words.addAll(Program.start());
        words.addAll(List.of("run", "delete", config.toAbsolutePath().toString(), "--run", execId));
        words.addAll(options);
        Map<String, Process> running = new LinkedHashMap<>();
        NodeShell shell = job.shell(probe, false, false);
        for (NodePool.Node node : file == null ? List.<NodePool.Node>of() : KnownNodes.ofHostFile(file)) {
            Process process = new ProcessBuilder(shell.on(node.name(), words))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            running.put(node.name(), process);
        }
        List<String> failed = new ArrayList<>();
        for (Map.Entry<String, Process> each : running.entrySet()) {
            String said = new String(each.getValue().getInputStream().readAllBytes(), Charset.defaultCharset());
            said.lines()
                    .filter(line -> !line.startsWith(NOT_SEEN))
                    .forEach(line -> out.println(Printable.text(each.getKey() + ": " + line)));
            if (each.getValue().onExit().join().exitValue() != ExitCode.OK) {
                failed.add(each.getKey());
            }
        }
        out.flush();
        return failed;
    }
}
