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
 * Section {@code [restart]} of the configuration file, in which a run tells its next start what to do
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

    /** Makes the file name this run, as {@code FTI_Init} does. Collective. */
    public void take(int failure) throws IOException {
        write(failure);
        taken = true;
    }

    /** Puts exec id and failure into the configuration file, which needs no room if they are there. Collective. */
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
            // Another job that shares the file may write it at the same time.
            TextFiles.replace(configFile, text, execId, storage);
        }
    }

    /** Whoever started last with the file keeps it: what is written over it could be restarted no more. */
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
