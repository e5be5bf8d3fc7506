package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.CheckpointsProvider;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.internal.catalogue.EngineRunCatalogue;
import io.drumlin.checkpoint.internal.inspect.EngineRunSurvey;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Provides the engine to the API. Created by {@link java.util.ServiceLoader}. */
public final class EngineProvider implements CheckpointsProvider {

    /** Creates the provider, for {@link java.util.ServiceLoader}. */
    public EngineProvider() {}

    @Override
    public Checkpoints.Builder builder(Path configFile) {
        return new EngineBuilder(configFile);
    }

    @Override
    public RunSurvey survey(Path configFile, Path workingDirectory, @Nullable String execId) throws IOException {
        return EngineRunSurvey.open(configFile, workingDirectory, execId);
    }

    @Override
    public RunCatalogue catalogue(Path configFile, Path workingDirectory) throws IOException {
        return EngineRunCatalogue.open(configFile, workingDirectory);
    }
}
