package io.drumlin.checkpoint.internal.posix;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.LayerEntry;
import io.drumlin.integrity.LaneDigester;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A differential checkpoint in the mode POSIX, as described by metadata. All ranks go back to the last layer up to
 * which every file is whole, and so to the checkpoint that wrote this layer.
 */
final class DcpStoredCheckpoint implements StoredCheckpoint {

    private final StorageEngine storage;
    private final Communicator app;
    private final RejectedFiles rejected;
    private final CommitSlot slot;
    private final Path path;
    private final FileEntry entry;
    private final Consumer<Opened> opening;
    private @Nullable DcpFile whole;
    private boolean there;
    private long layers;
    private boolean isContinued;
    private final int newest;
    private final OptionalLong identity;

    /** The checkpoint id that C FTI reports, and writes into the next layer. */
    private int previous;

    private int ckptId;

    /**
     * The state from which the run restarts.
     *
     * @param entry entry of this rank's file in the metadata
     * @param file the file after the layers that are whole on all ranks
     * @param ckptId id of the previous checkpoint, recorded in the last of these layers
     * @param isContinued whether the next layer may follow: the metadata have no further layers, and no rank's file is
     *     of an earlier release of C FTI
     */
    record Opened(FileEntry entry, DcpFile file, int ckptId, boolean isContinued) {}

    /**
     * Determines how many layers exist, without reading them. Collective.
     *
     * @param slot place of the metadata
     * @param path path of this rank's file
     * @param entry entry of this rank's file in the metadata
     * @param newest id of the checkpoint that wrote the last layer
     * @param identity identity of that checkpoint
     * @param opening called when the checkpoint is opened
     */
    DcpStoredCheckpoint(
            StorageEngine storage,
            Communicator app,
            RejectedFiles rejected,
            CommitSlot slot,
            Path path,
            FileEntry entry,
            int newest,
            OptionalLong identity,
            Consumer<Opened> opening)
            throws IOException {
        this.storage = storage;
        this.app = app;
        this.rejected = rejected;
        this.slot = slot;
        this.path = path;
        this.entry = entry;
        this.opening = opening;
        this.newest = newest;
        this.identity = identity;
        previous = newest;
        ckptId = newest;
        rejected.succeeds("looking at", path, () -> {
            there = PathStatus.isRegularFile(path);
            layers = there ? present(PathStatus.size(path)) : 0;
        });
        agreeOnWhole();
    }

    /** Returns how many layers a file of {@code size} bytes can have. */
    private int present(long size) {
        int count = 0;
        long end = 0;
        for (LayerEntry layer : entry.layers()) {
            end += layer.size();
            if (end > size) {
                break;
            }
            count++;
        }
        return count;
    }

    @Override
    public Level level() {
        return Level.L4_DCP;
    }

    /**
     * Returns the id of the checkpoint whose data are recovered. If layers were lost, this is an earlier checkpoint.
     */
    @Override
    public int ckptId() {
        return ckptId;
    }

    @Override
    public OptionalLong identity() {
        return identity;
    }

    @Override
    public String fileName(FileKind kind) {
        return entry.name();
    }

    @Override
    public CommitSlot metadataSlot() {
        return slot;
    }

    @Override
    public EnumMap<FileKind, List<FileLocation>> places() {
        EnumMap<FileKind, List<FileLocation>> places = new EnumMap<>(FileKind.class);
        // The file is always in its place, wherever the metadata lie.
        places.put(FileKind.PLAIN, there ? List.of(new FileLocation(CommitSlot.COMMITTED, path)) : List.of());
        return places;
    }

    @Override
    public void checkSize(FileKind kind, Path file) throws IOException {
        if (present(PathStatus.size(file)) < entry.layers().size()) {
            rejected.refuse("looking at", file, lostLayers());
        }
    }

    @Override
    public void check(FileKind kind, Path file, RetainPolicy keep) throws IOException {
        layers = 0;
        try (ReadWindow source = ReadWindow.open(storage, file)) {
            DcpFile read = DcpFile.readWhole(source, entry, new LaneDigester());
            if (!DifferentialConfig.isPossible(read.blockSize(), read.stackSize())) {
                throw new FormatException(
                        DcpFile.FORMAT,
                        new Finding(
                                "block size",
                                0,
                                "is " + read.blockSize() + ", and the stack size " + read.stackSize()
                                        + ": no run writes such files"));
            }
            whole = read;
            layers = read.layers();
        } catch (FormatException e) {
            throw e.in(file);
        }
        if (layers < entry.layers().size()) {
            rejected.refuse("verifying", file, lostLayers());
        }
    }

    private DrumlinException lostLayers() {
        return DrumlinException.during("verifying")
                .path(path)
                .problem("layer " + layers + " is damaged or missing, of "
                        + entry.layers().size() + " by the metadata, counted from 0")
                .advice("all ranks go back to the differential checkpoint before it")
                .exception();
    }

    @Override
    public void agreeOnWhole() throws IOException {
        long[] least = {layers, whole == null || whole.isOfToday() ? 1 : 0};
        app.allreduce(least, Op.MIN);
        layers = least[0];
        isContinued = least[1] > 0;
        long[] id = {Long.MIN_VALUE};
        if (layers > 0) {
            rejected.succeeds("reading", path, () -> id[0] = previousCkptId());
        }
        app.allreduce(id, Op.MAX);
        if (id[0] != Long.MIN_VALUE) {
            previous = (int) id[0];
        }
        ckptId = layers == entry.layers().size() || layers == 0
                ? newest
                : idOf(entry.layers().get((int) layers - 1));
    }

    /** Returns the checkpoint that wrote a layer. Files of C FTI record it only for the newest layer. */
    private int idOf(LayerEntry layer) {
        return layer.ckptId() >= 0 ? layer.ckptId() : previous;
    }

    /** Returns the id in the last layer, which is the id of the previous checkpoint. */
    private int previousCkptId() throws IOException {
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            return DcpFile.storedCkptId(new BlockFileSource(file), entry, (int) layers - 1);
        }
    }

    @Override
    public StoredFile open(Path file) throws IOException {
        DcpFile found = Optional.ofNullable(whole).orElseThrow().first((int) layers);
        opening.accept(new Opened(
                entry, found, previous, isContinued && layers == entry.layers().size()));
        return DcpLayerFormat.stored(ckptId, entry, found);
    }
}
