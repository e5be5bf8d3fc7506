package io.drumlin.cli.input;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The choice of an FTI run in a directory. */
public final class RunOption {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = {
                "Configuration file of a run of FTI whose working directory is PATH.",
                "Without this it is the one in PATH."
            })
    private @Nullable Path config;

    @Option(
            names = "--run",
            paramLabel = "ID",
            description = "The run of FTI, an exec_id. Without this the one that the configuration file names.")
    private @Nullable String execId;

    public Optional<Path> config() {
        return Optional.ofNullable(config);
    }

    public Optional<String> execId() {
        return Optional.ofNullable(execId);
    }
}
