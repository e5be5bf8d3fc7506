package io.drumlin.golden.fti;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.golden.fti.Checkpoint.Variable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** A run of the checkpoint engine in a temporary directory, with a case's configuration and threads as ranks. */
final class EngineRun implements AutoCloseable {

    private final Manifest manifest;
    private final Path directory;

    private EngineRun(Manifest manifest, Path directory) {
        this.manifest = manifest;
        this.directory = directory;
    }

    /**
     * Makes the directory.
     *
     * @param config configuration of the case, whose relative directories come to lie in the temporary one
     */
    static EngineRun of(Manifest manifest, Path config) throws IOException {
        EngineRun run = new EngineRun(manifest, Files.createTempDirectory("drumlin-golden"));
        String text = Files.readString(config, StandardCharsets.ISO_8859_1);
        Files.writeString(run.config(), text.replace("= ./", "= " + run.directory + "/"), StandardCharsets.ISO_8859_1);
        return run;
    }

    Path directory() {
        return directory;
    }

    Path config() {
        return directory.resolve("config.fti");
    }

    /** The work of one rank of the application. */
    @FunctionalInterface
    interface Body {
        void run(Checkpoints checkpoints, Communicator application) throws IOException;
    }

    void onEachRank(Body body) throws IOException {
        ThreadCommunicator.run(manifest.ranks(), comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(config())
                    .communicator(comm)
                    .freshStartIfUnrecoverable()
                    .open()) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, checkpoints.communicator());
                }
            }
        });
    }

    /** Protects what a checkpoint holds, all of it zero. */
    Map<Variable, ByteBuffer> protect(Checkpoints checkpoints, Checkpoint checkpoint, int rank) {
        Map<Variable, ByteBuffer> buffers = new LinkedHashMap<>();
        Declarations.Declared declared = manifest.declarations().declare(checkpoints);
        for (Variable variable : checkpoint.variables()) {
            boolean misnamed = !variable.idChar().isEmpty()
                    && ((FtiCheckpoints) checkpoints).idFor(variable.idChar()) != variable.id();
            if (misnamed) {
                throw new IllegalStateException(variable.idChar() + " does not stand for id " + variable.id());
            }
            ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(variable.bytesOn(rank)));
            ((FtiCheckpoints) checkpoints)
                    .protect(variable.id(), bytes, variable.countOn(rank), declared.type(variable.type()));
            ((FtiCheckpoints) checkpoints).setAttribute(variable.id(), variable.name());
            ((FtiCheckpoints) checkpoints).setAttribute(variable.id(), variable.dimensionsOn(rank));
            buffers.put(variable, bytes);
        }
        declared.defineDatasets();
        return buffers;
    }

    @Override
    public void close() throws IOException {
        delete(directory);
    }

    static void delete(Path top) throws IOException {
        try (Stream<Path> paths = Files.walk(top)) {
            for (Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }
}
