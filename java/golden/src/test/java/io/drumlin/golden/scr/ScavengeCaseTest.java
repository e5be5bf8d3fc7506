package io.drumlin.golden.scr;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScavengeCaseTest {

    @TempDir
    Path folder;

    @BeforeEach
    void copy() throws IOException {
        OperationsCase.copy(Golden.path("scr", "prefix_scavenged_xor"), folder);
    }

    private List<String> differences() throws IOException {
        Json manifest =
                Json.root(JSON.std.mapFrom(folder.resolve("manifest.json").toFile()));
        Outcome outcome = new Outcome();
        new ScavengeCase(folder, manifest, outcome).compare();
        return outcome.differences();
    }

    private void addToSummary(String... keys) throws IOException {
        Path summary = folder.resolve("prefix/.scr/scr.dataset.2/summary.scr");
        KvTree tree =
                KvTreeFile.read(StoredFiles.source(Files.readAllBytes(summary))).tree();
        for (String key : keys) {
            tree.addPath(key, "0").set("FILES", 2);
        }
        ByteBuffer bytes = KvTreeFile.encode(tree);
        try (SeekableByteChannel channel =
                Files.newByteChannel(summary, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(bytes);
        }
    }

    @Test
    void whatScrIndexLeavesOfReedSolomonSetsIsNotCompared() throws IOException {
        addToSummary("RS", "MAPRS");
        assertThat(differences()).isEmpty();
    }

    @Test
    void allElseInASummaryIs() throws IOException {
        addToSummary("XOR");
        assertThat(differences()).singleElement().asString().contains("summary.scr", "XOR");
    }
}
