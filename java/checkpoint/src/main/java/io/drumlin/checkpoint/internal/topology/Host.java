package io.drumlin.checkpoint.internal.topology;

import java.nio.file.Path;

/**
 * A host invented by a test, so that the ranks of one process can be on several hosts with {@code local_test = 0}.
 *
 * @param name name of the host
 * @param localRoot used instead of {@code ckpt_dir}; its parent exists
 */
public record Host(String name, Path localRoot) {}
