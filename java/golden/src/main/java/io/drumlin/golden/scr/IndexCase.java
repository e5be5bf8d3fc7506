package io.drumlin.golden.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeText;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import io.drumlin.scr.internal.index.DatasetFile;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.RestartSearch;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The index of a prefix directory: how it is listed, and which datasets a restart takes. */
final class IndexCase {

    private static final LocalDateTime NOW = LocalDateTime.of(2026, 11, 21, 12, 0, 0);

    private final Path directory;
    private final Json manifest;
    private final Outcome outcome;

    IndexCase(Path directory, Json manifest, Outcome outcome) {
        this.directory = directory;
        this.manifest = manifest;
        this.outcome = outcome;
    }

    void compare() throws IOException {
        Path prefix = directory.resolve("prefix");
        for (String key : List.of("scr_index_list", "old_scr_index_list")) {
            if (manifest.has(key) && Files.isDirectory(prefix)) {
                compareListing(manifest.get(key), index(prefix));
            }
        }
        if (manifest.has("scr_print_keyval_index")) {
            KvTree tree = index(prefix).tree();
            outcome.same(
                    "scr_print", manifest.get("scr_print_keyval_index").list(Json::text), KvTreeText.keyValues(tree));
            outcome.same(
                    "scr_print -m tree", manifest.get("scr_print_tree_index").list(Json::text), KvTreeText.tree(tree));
        }
        if (manifest.has("scr_1_1_8_scr_index_list")) {
            compareListing(manifest.get("scr_1_1_8_scr_index_list"), seed());
            compareSeedRestart(manifest.get("restart"));
        } else if (manifest.has("restart")) {
            compareRestart(manifest.get("restart"), prefix);
        } else if (manifest.has("restart_with_same_version")) {
            compareOldRestart(manifest.get("restart_with_same_version"), prefix);
        }
        if (manifest.has("when_index_file_has_zero_length")) {
            compareEmpty();
        }
    }

    private ScrIndex index(Path prefix) throws IOException {
        return new IndexFile(new ScrPrefix(prefix), new NioEngine()).read();
    }

    private ScrIndex seed() throws DrumlinException {
        return ScrIndex.of(Trees.of(manifest.get("tree")));
    }

    private void compareListing(Json expected, ScrIndex index) {
        outcome.same("listing", expected.get("stdout").list(Json::text), IndexListing.lines(index));
        outcome.compared("listing equal");
    }

    /** A file without a byte is no index: it must be told, not taken for one without datasets. */
    private void compareEmpty() {
        try {
            ScrIndex.of(new KvTree());
            outcome.differs("an empty file was taken for an index");
        } catch (DrumlinException e) {
            outcome.compared("empty file refused");
        }
    }

    private void compareSeedRestart(Json restart) throws IOException {
        ScrIndex index = seed();
        outcome.same("CURRENT", restart.get("current").text(), index.current().orElse(""));
        List<String> tried = new ArrayList<>();
        RestartSearch search = new RestartSearch(index);
        for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
            tried.add(next.get());
            index.fetching(next.get(), NOW);
            index.failed(next.get(), NOW);
        }
        outcome.same("restart", restart.get("order_if_each_fails").list(Json::text), tried);
        outcome.same(
                "index after failed fetches",
                withoutTimes(Trees.of(manifest.get("index_after_failed_fetches"))),
                withoutTimes(index.tree()));
        outcome.compared("restart choice and index after it equal");
    }

    private void compareRestart(Json restart, Path prefix) throws IOException {
        int ranks = restart.get("ranks").integer();
        List<String> attempts = new ArrayList<>();
        ScrIndex index = index(prefix);
        String name = haveRestart(index, prefix, ranks, attempts).orElse("");
        outcome.same("restart", restart.has("name") ? restart.get("name").text() : "", name);
        outcome.same("fetch attempts", restart.get("fetch_attempts").list(Json::text), attempts);
        if (restart.has("index_after")) {
            outcome.same(
                    "index after the fetch",
                    withoutTimes(Trees.of(restart.get("index_after"))),
                    withoutTimes(index.tree()));
        }
        compareRejections(restart, prefix, ranks);
        outcome.compared("restart choice equal");
    }

    private void compareRejections(Json restart, Path prefix, int ranks) throws IOException {
        List<String> attempts = new ArrayList<>();
        List<String> offered = new ArrayList<>();
        ScrIndex index = index(prefix);
        for (Optional<String> name = haveRestart(index, prefix, ranks, attempts);
                name.isPresent();
                name = haveRestart(index, prefix, ranks, attempts)) {
            offered.add(name.get());
            index.failed(name.get(), NOW);
        }
        outcome.same(
                "names offered if each is rejected",
                restart.get("names_offered_if_each_is_rejected").list(Json::text),
                offered);
        outcome.same(
                "attempts if each is rejected",
                restart.get("attempts_if_application_rejects_every_one").list(Json::text),
                attempts);
    }

    private void compareOldRestart(Json restart, Path prefix) throws IOException {
        List<String> attempts = new ArrayList<>();
        haveRestart(index(prefix), prefix, restart.get("ranks").integer(), attempts);
        // SCR 1.1 tells whole paths.
        List<String> expected =
                restart.get("fetch_attempts").list(attempt -> attempt.text().replaceFirst("^/tmp/prefix/", ""));
        outcome.same("fetch attempts", expected, attempts);
        outcome.compared("restart choice equal");
    }

    /** One call of SCR_Have_restart with an empty cache. */
    private static Optional<String> haveRestart(ScrIndex index, Path prefix, int ranks, List<String> attempts)
            throws IOException {
        RestartSearch search = new RestartSearch(index);
        for (Optional<String> next = search.next(); next.isPresent(); next = search.next()) {
            String name = next.get();
            attempts.add(name);
            index.fetching(name, NOW);
            if (isFetchable(index, prefix, name, ranks)) {
                index.fetched(name);
                return next;
            }
            index.failed(name, NOW);
        }
        return Optional.empty();
    }

    /**
     * Returns whether SCR would fetch a dataset. It looks at metadata, the number of ranks, and whether each file is there;
     * Drumlin also
     */
    private static boolean isFetchable(ScrIndex index, Path prefix, String name, int ranks) {
        try {
            Optional<IndexRecord> record = index.record(name);
            if (record.isEmpty()) {
                return false;
            }
            DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(prefix), record.get(), new NioEngine());
            RankFiles map = metadata.readFiles();
            for (List<DatasetFile> files : map.files().values()) {
                for (DatasetFile file : files) {
                    if (!Files.isReadable(metadata.locate(file))) {
                        return false;
                    }
                }
            }
            return map.ranks() == ranks
                    && metadata.readDescriptor().checkpoint().isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the same tree without times of fetches and failures, which are those of the run. */
    static KvTree withoutTimes(KvTree tree) {
        KvTree rest = new KvTree();
        tree.entries().forEach((key, subtree) -> {
            if (key.equals("FETCHED") || key.equals("FAILED")) {
                rest.add(key);
            } else {
                rest.put(key, withoutTimes(subtree));
            }
        });
        return rest;
    }
}
