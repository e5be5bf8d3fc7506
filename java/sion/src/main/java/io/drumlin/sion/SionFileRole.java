package io.drumlin.sion;

import java.nio.file.Path;

/**
 * A physical file to which a task gives data, and what the task does for it; {@link SION#sion_get_io_info} tells.
 *
 * @param file the file
 * @param bytes bytes of this task's data in it
 * @param role {@code SION_ROLE_WRITER}, {@code SION_ROLE_SENDER}, {@code SION_ROLE_COLLECTOR} or
 *     {@code SION_ROLE_NOWRITER}
 */
public record SionFileRole(Path file, long bytes, int role) {

    static final int COLLECTOR = 1;
    static final int SENDER = 2;
    static final int WRITER = 4;
    static final int NOWRITER = 8;
}
