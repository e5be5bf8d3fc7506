package io.drumlin.checkpoint.internal.topology;

import java.nio.file.Path;

/**
 * A host that a test has invented, so that ranks of one process can be on several: where {@code local_test = 0}.
 *
 * @param name of the host
 * @param localRoot in place of {@code ckpt_dir}; its parent exists
 */
public record Host(String name, Path localRoot) {}
