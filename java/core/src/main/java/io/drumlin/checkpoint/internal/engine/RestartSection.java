package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The section {@code [restart]} of the configuration file, in which a run records how it starts next
 * (docs/formats/fti-run-directory.md, section 1).
 */
public final class RestartSection {

    private final Communicator app;
    private final Path configFile;
    private final Run run;
    private final String execId;
    private final StorageEngine storage;
    private boolean taken;

    RestartSection(Communicator app, Run run) {
        this.app = app;
        this.run = run;
        configFile = run.configFile();
        execId = run.execId();
        storage = run.storage();
    }

    /** Writes this run's id to the file, as {@code FTI_Init} does. Collective. */
    public void nameThisRun(int failure) throws IOException {
        write(failure);
        taken = true;
    }

    /**
     * Writes the exec id and failure to the configuration file. This needs no space if they are already there.
     * Collective.
     */
    public void write(int failure) throws IOException {
        Agreement.run(app, "rewriting " + configFile, () -> {
            if (app.rank() == 0) {
                rewrite(failure);
            }
        });
    }

    private void rewrite(int failure) throws IOException {
        run.requireLease();
        String current = TextFiles.read(configFile);
        IniFile ini = IniFile.parse(current, configFile.toString());
        if (taken) {
            requireThisRun(ini.get("restart", "exec_id").orElse(""));
        }
        String text = ini.with("restart", "failure", Integer.toString(failure))
                .with("restart", "exec_id", execId)
                .text();
        if (text.equals(current)) {
            TextFiles.sync(configFile, storage);
        } else {
            // Another job that uses the same file may write it at the same time.
            TextFiles.replace(configFile, text, execId, storage);
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
