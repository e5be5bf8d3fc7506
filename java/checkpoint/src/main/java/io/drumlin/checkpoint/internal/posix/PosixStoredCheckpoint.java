package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.file.Encoding;
import io.drumlin.checkpoint.internal.file.PosixEncoding;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.inventory.MetadataOrigin;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.integrity.LastByte;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A checkpoint in the modes POSIX, MPI-IO, SIONlib and HDF5: files described by the metadata of a group. */
final class PosixStoredCheckpoint implements StoredCheckpoint {

    private final PosixRun run;
    private final Communicator app;
    private final Group group;
    private final RejectedFiles rejected;
    private final Level level;
    private final CommitSlot slot;
    private final int owner;
    private final SharedFileWriter.Locator locator;
    private final Consumer<GroupMetadata> opening;
    private GroupMetadata metadata;
    private @Nullable EnumMap<FileKind, List<FileLocation>> places;
    private @Nullable String encodedAgain;

    /**
     * @param slot place of the metadata
     * @param metadata metadata of this rank's group
     * @param locator finds this rank's bytes in its plain file
     * @param opening receives the metadata when the checkpoint is opened
     */
    PosixStoredCheckpoint(
            PosixRun run,
            Communicator app,
            Group group,
            RejectedFiles rejected,
            Level level,
            CommitSlot slot,
            GroupMetadata metadata,
            SharedFileWriter.Locator locator,
            Consumer<GroupMetadata> opening) {
        this.run = run;
        this.app = app;
        this.group = group;
        this.rejected = rejected;
        this.level = level;
        this.slot = slot;
        this.metadata = shared().isPresent() && !metadata.blocksDigested() ? withoutDigests(metadata) : metadata;
        this.locator = locator;
        this.opening = opening;
        owner = FileNames.owner(own().name()).orElseThrow();
    }

    private Optional<SharedFileWriter> shared() {
        return run.shared(level);
    }

    /** Removes the checksums of blocks, for which C FTI writes arbitrary values. */
    private static GroupMetadata withoutDigests(GroupMetadata metadata) {
        return metadata.withFiles(
                metadata.files().stream().map(file -> file.withChecksum("")).toList());
    }

    private FileEntry own() {
        return metadata.files().get(group.index());
    }

    @Override
    public Level level() {
        return level;
    }

    @Override
    public int ckptId() {
        return metadata.ckptId();
    }

    @Override
    public OptionalLong identity() {
        return MetadataOrigin.identity(metadata);
    }

    @Override
    public String fileName(FileKind kind) {
        if (kind == FileKind.PLAIN) {
            return shared().map(writer -> writer.fileName(ckptId())).orElse(own().name());
        }
        return FileNames.fileName(
                kind, ckptId(), owner, metadata.redundant(run.content().suffix()));
    }

    @Override
    public CommitSlot metadataSlot() {
        return slot;
    }

    @Override
    public EnumMap<FileKind, List<FileLocation>> places() {
        if (places == null) {
            places = findPlaces();
        }
        return places;
    }

    private EnumMap<FileKind, List<FileLocation>> findPlaces() {
        EnumMap<FileKind, List<FileLocation>> all = new EnumMap<>(FileKind.class);
        for (FileKind kind : FileKind.of(level)) {
            List<FileLocation> found = new ArrayList<>();
            for (CommitSlot place : CommitSlot.values()) {
                Path path = run.places().directory(level, place).resolve(fileName(kind));
                rejected.succeeds("looking for", path, () -> {
                    if (PathStatus.isRegularFile(path)) {
                        found.add(new FileLocation(place, path));
                    }
                });
            }
            if (found.size() > 1) {
                // There may be files of several checkpoints with the same id.
                found.removeIf(place ->
                        !rejected.succeeds("verifying", place.path(), () -> checkOneOfSeveral(kind, place.path())));
            }
            all.put(kind, found);
        }
        return all;
    }

    /** Without a digest the metadata would describe each of the files. */
    private void checkOneOfSeveral(FileKind kind, Path path) throws IOException {
        if (digested(kind, path).isEmpty()) {
            throw MetadataOrigin.refused(
                    path,
                    "there is another file of this name, and no digest in the metadata tells which one is meant",
                    "another level or an older checkpoint is needed");
        }
        check(kind, path, RetainPolicy.NOTHING);
    }

    @Override
    public void checkSize(FileKind kind, Path path) throws IOException {
        FileEntry file = kind == FileKind.PARTNER ? metadata.files().get(group.left()) : own();
        start(path, kind == FileKind.ENCODED ? file.maxSize() : file.size());
    }

    @Override
    public void check(FileKind kind, Path path, RetainPolicy keep) throws IOException {
        switch (kind) {
            case PLAIN -> {
                long start = start(path, own().size());
                if (own().digest().isEmpty()) {
                    run.content().check(path);
                } else {
                    run.reader()
                            .verify(path, run.content().stored(ckptId(), own()).movedBy(start), keep);
                }
            }
            case PARTNER -> {
                FileEntry left = metadata.files().get(group.left());
                check(path, left.size(), left.digest(), left.isStriped());
                if (left.digest().isEmpty()) {
                    run.content().check(path);
                }
            }
            case ENCODED -> {
                if (slot == CommitSlot.TMP && encodedMd5().isEmpty()) {
                    throw MetadataOrigin.refused(
                            path, "its digest was not written down", "the head was killed while it made the file");
                }
                check(path, own().maxSize(), encodedMd5(), false);
            }
        }
    }

    @Override
    public Optional<StoredFile> digested(FileKind kind, Path path) {
        if (kind == FileKind.ENCODED) {
            return encodedMd5().isEmpty()
                    ? Optional.empty()
                    : Optional.of(StoredFile.of(ckptId(), own().maxSize(), encodedMd5()));
        }
        FileEntry file = kind == FileKind.PARTNER ? metadata.files().get(group.left()) : own();
        return file.digest().isEmpty()
                ? Optional.empty()
                : Optional.of(run.content().stored(ckptId(), file));
    }

    /** Returns the digest that the encoded file must have; empty if none was recorded. */
    private String encodedMd5() {
        String present = encodedAgain != null ? encodedAgain : own().rsedChecksum();
        return present == null ? "" : present;
    }

    private void check(Path path, long size, String md5, boolean striped) throws IOException {
        long start = start(path, size);
        if (!md5.isEmpty()) {
            run.reader().verify(path, new Chunk(-1, 0, start, size, Optional.of(md5), striped));
        }
    }

    /** Returns where this rank's bytes begin in a file; the file must be large enough. */
    private long start(Path path, long size) throws IOException {
        long start = locator.start(path);
        long found = PathStatus.size(path);
        if (shared().isEmpty() && found != size) {
            throw MetadataOrigin.refused(
                    path,
                    "it has " + found + " bytes and the metadata say " + size,
                    "the file is damaged; another level or an older checkpoint is needed");
        }
        return start;
    }

    @Override
    public Optional<Long> extendedSize() {
        return Optional.of(own().maxSize());
    }

    @Override
    public long plainSize(ByteSource extended) {
        return own().size();
    }

    @Override
    public OptionalInt lastByte(ByteSource decoded) throws IOException {
        // The last byte is found by the plain MD5, of which C FTI v1.0 wrote a half only.
        String md5 = own().plainDigest();
        return md5.length() < 32
                ? OptionalInt.empty()
                : LastByte.of(decoded, 0, HexFormat.of().parseHex(md5));
    }

    @Override
    public Encoding encoding() {
        return new PosixEncoding();
    }

    @Override
    public void encodedAgain(String md5) {
        encodedAgain = md5;
    }

    @Override
    public void updateMetadata() throws IOException {
        boolean changed = encodedAgain != null && !encodedAgain.equals(own().rsedChecksum());
        boolean anyChanged = Arrays.stream(group.gather(changed ? 1 : 0)).sum() > 0;
        List<byte[]> digests =
                anyChanged ? group.gatherAtFirst(encodedMd5().getBytes(StandardCharsets.US_ASCII)) : List.of();
        Agreement.run(app, "writing the digests of encoded files", () -> {
            if (!digests.isEmpty()) {
                metadata = withEncoded(digests);
                Path directory = run.places().metadataDirectory(level, slot);
                MetadataFiles.write(directory.resolve(MetadataFiles.name(group)), metadata, run.storage());
            }
        });
    }

    private GroupMetadata withEncoded(List<byte[]> digests) {
        List<FileEntry> files = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            FileEntry file = metadata.files().get(i);
            String digest = new String(digests.get(i), StandardCharsets.US_ASCII);
            files.add(file.withRsedChecksum(digest.isEmpty() ? null : digest));
        }
        return metadata.withFiles(files);
    }

    @Override
    public StoredFile open(Path path) throws IOException {
        long start = locator.start(path);
        opening.accept(metadata);
        return run.content().stored(ckptId(), own()).movedBy(start);
    }
}
