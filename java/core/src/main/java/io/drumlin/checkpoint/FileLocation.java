package io.drumlin.checkpoint;

import java.nio.file.Path;

/** Where a file lies. */
record FileLocation(CommitSlot slot, Path path) {}
