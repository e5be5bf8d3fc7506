package io.drumlin.sion;

import io.drumlin.nativecore.NativeTests;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

@Tag("native")
class NativeSionFileTest extends SionFileContract {

    @Override
    StorageEngine engine() throws IOException {
        NativeTests.requireCore();
        return StorageEngines.byName("native");
    }
}
