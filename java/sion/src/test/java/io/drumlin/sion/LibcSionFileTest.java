package io.drumlin.sion;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.LibcEngine;
import java.io.IOException;
import org.junit.jupiter.api.Tag;

@Tag("native")
class LibcSionFileTest extends SionFileContract {

    @Override
    StorageEngine engine() throws IOException {
        assumeTrue(LibcEngine.isAvailable(), "libc is not available");
        return StorageEngines.byName("libc");
    }
}
