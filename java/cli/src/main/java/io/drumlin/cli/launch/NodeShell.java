package io.drumlin.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a command is run on a node.
 *
 * @param agent the command that runs another one on a node, such as ssh; empty if Slurm does
 * @param srun the command srun of a job of Slurm; empty if the job has only this machine
 */
public record NodeShell(List<String> agent, List<String> srun) {

    public NodeShell {
        agent = List.copyOf(agent);
        srun = List.copyOf(srun);
    }

    /** Returns the command line that runs a command on a node, in one process. */
    public List<String> on(String node, List<String> words) {
        if (!agent.isEmpty()) {
            List<String> line = new ArrayList<>(agent);
            line.add(node);
            // A shell on the node reads it.
            line.add(words.stream().map(NodeShell::quoted).collect(Collectors.joining(" ")));
            return line;
        }
        List<String> line = new ArrayList<>(srun);
        if (!srun.isEmpty()) {
            line.addAll(List.of("--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--mpi=none", "--nodelist=" + node));
        }
        line.addAll(words);
        return line;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
