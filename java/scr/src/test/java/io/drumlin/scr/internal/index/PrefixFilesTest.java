package io.drumlin.scr.internal.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that a prefix directory says leads to a file outside of it. */
class PrefixFilesTest {

    private static final NioEngine STORAGE = new NioEngine();

    private final KvTreeStore store = new KvTreeStore(STORAGE);

    @TempDir
    Path directory;

    private ScrPrefix prefix;
    private PrefixFiles files;
    private Path treasure;

    @BeforeEach
    void makeVictim() throws IOException {
        prefix = new ScrPrefix(Files.createDirectory(directory.resolve("prefix")));
        files = new PrefixFiles(prefix, store);
        Files.createDirectories(prefix.scr());
        treasure = Files.createDirectories(directory.resolve("victim/.scr")).resolve("treasure");
        Files.writeString(treasure, "mine");
    }

    /** An index in the form of SCR 1.1, in which names are directories, of datasets of the names. */
    private void list(IndexFormat format, String... names) throws IOException {
        ScrIndex index = ScrIndex.empty(format);
        int id = 0;
        for (String name : names) {
            index.complete(DatasetDescriptor.started(++id, name, true, false, 1), ScrIndex.now());
        }
        store.replace(prefix.index(), index.tree());
    }

    private String absolute(String name) {
        return name.replace("DIR", directory.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../victim", "x/../../victim", "DIR/victim", "..", ".", "x/..", ".scr/.."})
    void aDatasetThatIsOutsideIsNotDeleted(String hostile) throws IOException {
        String name = absolute(hostile);
        list(IndexFormat.DIR, name);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> files.delete(name))
                .withMessageContaining("is not below it")
                .withMessageContaining("drumlin index drop");
        assertThatExceptionOfType(DrumlinException.class).isThrownBy(files::deleteAll);
        list(IndexFormat.DIR, name, "newer", "newest");
        assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> files.keepNewest(1, 3));
        assertThat(treasure).hasContent("mine");
        assertThat(prefix.index()).exists();
    }

    @Test
    void aFileThatIsOutsideIsNotDeleted() throws IOException {
        for (String name : List.of("../victim/.scr/treasure", treasure.toString(), "x/../../victim/.scr/treasure")) {
            describe(name);
            assertThatExceptionOfType(DrumlinException.class)
                    .isThrownBy(() -> files.delete("one"))
                    .withMessageContaining("is not below it");
            assertThat(treasure).hasContent("mine");
        }
    }

    /** Names below the prefix directory lead out of it where somebody has put a link. */
    @Test
    void linksAreNotFollowedToWhatIsDeleted() throws IOException {
        Files.createSymbolicLink(prefix.path().resolve("link"), directory.resolve("victim"));
        list(IndexFormat.DIR, "link");
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> files.delete("link"))
                .withMessageContaining("a symbolic link leads out of " + prefix.path());
        assertThat(treasure).hasContent("mine");
        describe("link/.scr/treasure");
        assertThatExceptionOfType(DrumlinException.class).isThrownBy(() -> files.delete("one"));
        assertThat(treasure).hasContent("mine");
    }

    private void describe(String file) throws IOException {
        list(IndexFormat.FLAT, "one");
        SortedMap<Integer, List<DatasetFile>> map = new TreeMap<>();
        map.put(0, List.of(new DatasetFile(file, OptionalLong.empty(), OptionalLong.empty())));
        DatasetMetadata.of(prefix, 1, STORAGE)
                .write(DatasetDescriptor.started(1, "one", true, false, 1), new RankFiles(1, map));
    }

    /** A prefix directory is often a link itself, and so is what is above it. */
    @Test
    void whatIsInsideIsDeletedAlsoThroughALinkToThePrefixDirectory() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("here"), prefix.path());
        Path file = Files.createDirectory(prefix.path().resolve("sub")).resolve("data");
        Files.writeString(file, "old");
        describe("sub/data");
        new PrefixFiles(new ScrPrefix(link), store).delete("one");
        assertThat(file.getParent()).doesNotExist();
        assertThat(prefix.metadata(1)).doesNotExist();
    }
}
