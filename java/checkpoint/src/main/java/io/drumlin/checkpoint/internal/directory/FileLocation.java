package io.drumlin.checkpoint.internal.directory;

import java.nio.file.Path;

/** The place and the path of a file. */
public record FileLocation(CommitSlot slot, Path path) {}
