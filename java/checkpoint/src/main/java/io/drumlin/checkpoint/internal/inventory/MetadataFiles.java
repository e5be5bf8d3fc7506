package io.drumlin.checkpoint.internal.inventory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.format.ByteSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/** The metadata files of the modes that keep them apart from the data (docs/formats/fti-posix.md, section 3). */
public final class MetadataFiles {

    private MetadataFiles() {}

    /** Returns whether a file is one of metadata, by its name. */
    public static boolean isOne(Path file) {
        return FileNames.METADATA_FILE.matcher(file.getFileName().toString()).matches();
    }

    /** Returns the name of a group's file. */
    public static String name(Group group) {
        return "sector" + group.sector() + "-group" + group.id() + ".fti";
    }

    public static GroupMetadata read(Path path, StorageEngine storage) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return read(path, new BlockFileSource(file));
        }
    }

    /**
     * Reads the bytes of a file of metadata, for {@link #read(Path, byte[])} on other ranks.
     *
     * @throws IOException the file cannot be read, or its bytes are no metadata
     */
    public static byte[] content(Path path, StorageEngine storage) throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            BlockFileSource source = new BlockFileSource(file);
            read(path, source);
            byte[] content = new byte[Math.toIntExact(source.size())];
            source.readFully(0, ByteBuffer.wrap(content));
            return content;
        }
    }

    /** Returns the metadata that another rank has read from a file. */
    public static GroupMetadata read(Path path, byte[] content) throws IOException {
        return read(path, new MemoryByteSource(ByteBuffer.wrap(content)));
    }

    private static GroupMetadata read(Path path, ByteSource source) throws IOException {
        try {
            return GroupMetadata.read(source);
        } catch (FormatException e) {
            throw DrumlinException.during("reading the metadata")
                    .path(path)
                    .cause(e)
                    .exception();
        }
    }

    /** Replaces a file so that a crash leaves the old content or the new, and makes it durable. */
    public static void write(Path path, GroupMetadata metadata, StorageEngine storage) throws IOException {
        TextFiles.replace(path, ByteBuffer.wrap(bytes(metadata)), storage);
    }

    public static byte[] bytes(GroupMetadata metadata) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        metadata.write(bytes);
        return bytes.toByteArray();
    }

    /** Returns whether a directory has metadata, and all of them are those of other checkpoints. */
    public static boolean areOfOthers(int ckptId, Path directory, StorageEngine storage) throws IOException {
        List<Path> files = PathStatus.entries(directory).stream()
                .filter(MetadataFiles::isOne)
                .toList();
        for (Path file : files) {
            try {
                if (read(file, storage).ckptId() == ckptId) {
                    return false;
                }
            } catch (IOException e) {
                // Damaged metadata may be those of this checkpoint.
                return false;
            }
        }
        return !files.isEmpty();
    }

    /**
     * Returns the name of the archive directory for a directory's metadata; empty if there are none or they belong to a
     * differential checkpoint. Damaged metadata are archived too, because an obsolete checkpoint must not stop a run.
     */
    public static Optional<String> archiveName(Path directory, StorageEngine storage) throws IOException {
        boolean damaged = false;
        for (Path file : PathStatus.entries(directory)) {
            if (!isOne(file)) {
                continue;
            }
            try {
                GroupMetadata metadata = read(file, storage);
                return metadata.type() == CkptType.FULL
                        ? Optional.of(FileNames.archived(metadata.ckptId()))
                        : Optional.empty();
            } catch (IOException e) {
                if (IoFailures.mayPass(e)) {
                    throw e;
                }
                damaged = true;
            }
        }
        return damaged ? Optional.of("Ckpt_damaged") : Optional.empty();
    }
}
