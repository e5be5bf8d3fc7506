package io.drumlin.checkpoint.internal.directory;

import java.nio.file.Path;

/** Where a file lies. */
public record FileLocation(CommitSlot slot, Path path) {}
