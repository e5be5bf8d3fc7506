package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The section {@code [restart]} of the configuration file, in which a run records how it starts next, and the file {@code
 * drumlin-groups-only} (docs/formats/fti-run-directory.md, sections 1 and 18).
 */
public final class RestartSection {

    private final Communicator app;
    private final Path configFile;
    private final Run run;
    private final String execId;
    private final StorageEngine storage;
    private boolean taken;

    /**
     * What the files say of the run.
     *
     * @param failure how the next start begins
     * @param own what is said of the checkpoints that a restart finds
     */
    private record Entry(int failure, OwnCheckpoints own) {}

    /** What the files say but for a checkpoint under way. */
    private Entry entry;

    /** Whether the run's directory may have a file that says something else than {@link OwnCheckpoints#SOME}. */
    private boolean recorded;

    RestartSection(Communicator app, Run run) {
        this.app = app;
        this.run = run;
        configFile = run.configFile();
        execId = run.execId();
        storage = run.storage();
        entry = new Entry(run.config().failure(), OwnCheckpoints.SOME);
    }

    /** Reads what the files say, once, before anything else is called. Collective. */
    public void read() throws IOException {
        if (entry.failure == 0) {
            return;
        }
        Path meta = run.directories().meta();
        OwnCheckpoints own = OwnCheckpoints.valueOf(Agreement.ofFirst(
                app, "looking into " + meta, () -> OwnCheckpoints.of(meta).name()));
        recorded = own != OwnCheckpoints.SOME;
        entry = new Entry(entry.failure, own);
    }

    /** Returns what is said of the checkpoints that the run has of its own. */
    public OwnCheckpoints own() {
        return entry.own;
    }

    /** Notes that the run continues from a checkpoint of its own. */
    void found() {
        entry = new Entry(entry.failure, OwnCheckpoints.SOME);
    }

    /** Writes this run's id to the file, as {@code FTI_Init} does. Collective. */
    public void nameThisRun() throws IOException {
        write(entry);
        taken = true;
    }

    /** Records that a restart may find the checkpoint under way. Collective. */
    void announce() throws IOException {
        write(new Entry(1, entry.own == OwnCheckpoints.SOME ? OwnCheckpoints.SOME : OwnCheckpoints.BEGUN));
    }

    /** Writes what was in the file before {@link #announce}. Collective. */
    void takeBack() throws IOException {
        write(entry);
    }

    /** Records that the announced checkpoint is in its place. Collective. */
    void confirm() throws IOException {
        run.lease().ifPresent(Lease::hasCheckpoints);
        boolean says = entry.own == OwnCheckpoints.SOME;
        entry = new Entry(Math.max(1, entry.failure), OwnCheckpoints.SOME);
        if (!says) {
            write(entry);
        }
    }

    /**
     * Records that a group of the run is going to have a checkpoint, unless the next start is a restart anyway.
     * Collective.
     */
    public void announceGroup() throws IOException {
        if (entry.failure == 0) {
            Entry next = new Entry(1, OwnCheckpoints.NONE);
            write(next);
            entry = next;
        }
    }

    /**
     * Records that the run is complete. Collective.
     *
     * @param failure how the next start begins: 0 or 2
     */
    public void complete(int failure) throws IOException {
        write(new Entry(failure, failure == 0 ? OwnCheckpoints.SOME : entry.own));
    }

    /** This needs no space if the file has it already. Collective. */
    private void write(Entry next) throws IOException {
        Agreement.run(app, "rewriting " + configFile, () -> {
            if (app.rank() == 0) {
                rewrite(next);
            }
        });
    }

    private void rewrite(Entry next) throws IOException {
        run.requireLease();
        String current = TextFiles.read(configFile);
        IniFile ini = IniFile.parse(current, configFile.toString());
        if (taken) {
            requireThisRun(ini.get("restart", "exec_id").orElse(""));
        }
        String text = ini.with("restart", "failure", Integer.toString(next.failure))
                .with("restart", "exec_id", execId)
                .text();
        // First, because a kill must not leave failure = 1 alone: that is a run whose checkpoints are lost.
        if (next.own != OwnCheckpoints.SOME) {
            record(next.own);
        }
        if (text.equals(current)) {
            TextFiles.sync(configFile, storage);
        } else {
            // Another job that uses the same file may write it at the same time.
            TextFiles.replace(configFile, text, execId, storage);
        }
        if (next.own == OwnCheckpoints.SOME) {
            record(next.own);
        }
    }

    private void record(OwnCheckpoints own) throws IOException {
        Path meta = run.directories().meta();
        if (own != OwnCheckpoints.SOME && !PathStatus.exists(own.file(meta))) {
            recorded = true;
            TextFiles.replace(own.file(meta), "", storage);
        }
        if (recorded) {
            for (OwnCheckpoints other : List.of(OwnCheckpoints.NONE, OwnCheckpoints.BEGUN)) {
                if (other != own && PathStatus.exists(other.file(meta))) {
                    storage.delete(other.file(meta));
                }
            }
            storage.syncDirectory(meta);
            recorded = own != OwnCheckpoints.SOME;
        }
    }

    /**
     * The run that started last with the file keeps it, because a run whose entry is overwritten could not be
     * restarted.
     */
    private void requireThisRun(String named) throws DrumlinException {
        if (!named.equals(execId)) {
            throw DrumlinException.during("rewriting")
                    .path(configFile)
                    .rank(app.rank())
                    .problem("it names run " + named + " and not this run, " + execId
                            + ": another job was started with it")
                    .advice("give each job a configuration file of its own")
                    .exception();
        }
    }
}
