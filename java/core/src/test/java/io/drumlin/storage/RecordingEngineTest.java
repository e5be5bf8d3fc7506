package io.drumlin.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Recording changes nothing of what an engine does. */
class RecordingEngineTest extends StorageEngineContract {

    @TempDir(factory = BesideTheBuild.class)
    Path elsewhere;

    @Override
    protected StorageEngine makeEngine() {
        try {
            FaultyEngine engine = new FaultyEngine(new NioEngine());
            engine.record(elsewhere.getParent());
            return engine;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected boolean reserves() {
        return false;
    }
}
