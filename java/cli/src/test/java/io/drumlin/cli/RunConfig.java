package io.drumlin.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The configuration file of a run whose nodes have one rank each, all on this machine. */
public final class RunConfig {

    private RunConfig() {}

    /**
     * Writes it.
     *
     * @param folder gets the file and the directories of the run, Local, Global and Meta
     * @param more further lines of the section basic
     * @return the file
     */
    public static Path write(Path folder, int ioMode, int groupSize, String... more) throws IOException {
        return Files.writeString(
                folder.resolve("config.fti"),
                String.join(
                        "\n",
                        "[basic]",
                        "node_size = 1",
                        "group_size = " + groupSize,
                        "ckpt_dir = " + folder.resolve("Local"),
                        "glbl_dir = " + folder.resolve("Global"),
                        "meta_dir = " + folder.resolve("Meta"),
                        "ckpt_io = " + ioMode,
                        "verbosity = 3",
                        String.join("\n", more),
                        "[restart]",
                        "failure = 0",
                        "exec_id = none",
                        "[advanced]",
                        "block_size = 1024",
                        "local_test = 1",
                        ""));
    }
}
