package io.drumlin.golden.scr;

import io.drumlin.golden.base.GoldenCases;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** SCR cases: files of SCR and of the kvtree library, and what their tools said about them. */
public final class ScrCases implements GoldenCases {

    /** Makes the reader of these cases. */
    public ScrCases() {}

    @Override
    public boolean understands(Map<String, Object> manifest) {
        if (manifest.get("produced_by") instanceof Map<?, ?> programs && programs.containsKey("scr")) {
            return true;
        }
        return manifest.get("files") instanceof Map<?, ?> files
                && files.keySet().stream().anyMatch(name -> String.valueOf(name).matches(".*\\.(kv|scr|scrinfo)"));
    }

    @Override
    public Outcome run(Path directory, Map<String, Object> manifest) throws IOException {
        Json json = Json.root(manifest);
        Outcome outcome = new Outcome();
        new StoredFiles(directory, outcome).compare(json);
        new IndexCase(directory, json, outcome).compare();
        new SmallFilesCase(directory, json, outcome).compare();
        if (json.has("library_conditions")) {
            new LibraryCase(json, outcome).compare();
        }
        if (json.has("rebuild")) {
            new RebuildCase(directory, json, outcome).compare();
        }
        if (json.has("build_command")) {
            new ScavengeCase(directory, json, outcome).compare();
        }
        if (json.has("steps")) {
            OperationsCase.compare(directory, json, outcome);
        }
        return outcome;
    }
}
