package io.drumlin.storage;

import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Recording changes nothing of what an engine does. */
class RecordingEngineTest extends StorageEngineContract {

    @Override
    protected StorageEngine makeEngine() {
        try {
            FaultyEngine engine = new FaultyEngine(new NioEngine());
            engine.record(folder);
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
