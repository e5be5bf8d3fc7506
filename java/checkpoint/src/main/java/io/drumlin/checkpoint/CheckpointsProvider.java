package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint engine, found by {@link ServiceLoader}. There is only one. Programs use {@link Checkpoints} instead.
 * Thread-safe.
 */
public interface CheckpointsProvider {

    /**
     * Returns the engine on the class path or module path.
     *
     * @return the first one found
     * @throws IllegalStateException there is none: the jar of Drumlin was packed anew without its
     *     {@code META-INF/services}
     */
    static CheckpointsProvider installed() {
        return ServiceLoader.load(CheckpointsProvider.class, CheckpointsProvider.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no " + CheckpointsProvider.class.getName()
                        + ": the jar was packed without META-INF/services; merge the files there"));
    }

    /**
     * Implements {@link Checkpoints#builder}.
     *
     * @param configFile configuration file of C FTI
     * @return a new builder
     */
    Checkpoints.Builder builder(Path configFile);

    /**
     * Implements {@link RunSurvey#open(Path, Path)}.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the run was started
     * @param execId id of the run; null for the run that the file names
     * @return the run
     * @throws IOException as {@link RunSurvey#open(Path, Path)}
     */
    RunSurvey survey(Path configFile, Path workingDirectory, @Nullable String execId) throws IOException;

    /**
     * Implements {@link RunCatalogue#open}.
     *
     * @param configFile configuration file of C FTI
     * @param workingDirectory where the runs were started
     * @return the catalogue
     * @throws IOException as {@link RunCatalogue#open}
     */
    RunCatalogue catalogue(Path configFile, Path workingDirectory) throws IOException;
}
