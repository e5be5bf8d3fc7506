package io.drumlin.sion;

import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;

class NioSionFileTest extends SionFileContract {

    @Override
    StorageEngine engine() throws IOException {
        return StorageEngines.byName("nio");
    }
}
