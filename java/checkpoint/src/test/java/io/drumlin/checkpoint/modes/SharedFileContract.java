package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the modes promise whose level 4 is one file of all ranks. */
interface SharedFileContract {

    /** See {@link IoModeContract}. */
    RunFixture make(Map<String, String> changes) throws IOException;

    /** See {@link IoModeContract}. */
    Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException;

    List<String> GROUPS = List.of("sector0-group0.fti", "sector1-group0.fti");

    /** C FTI writes anything for their checksums; its files must be recovered all the same. */
    @Test
    default void theChecksumsThatCFtiWritesForTheSharedFileAreNotBelieved() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        for (String group : GROUPS) {
            Path file = SeparateMetadataContract.metadata(run, "l4/" + group);
            SeparateMetadataContract.unseal(file);
            String text = Files.readString(file, StandardCharsets.ISO_8859_1)
                    .replaceAll("(ckpt_checksum +=) .*", "$1 0123456789abcdef0123456789abcdef");
            Files.writeString(file, text, StandardCharsets.ISO_8859_1);
        }
        IoModeContract.recover(run, 1, Level.L4);
        // The copy on the nodes, which that restart made.
        IoModeContract.recover(run, 1, Level.L1);
    }

    /** A kill stops a checkpoint of level 1 with the id of that of level 4, and its nodes are lost. */
    @Test
    default void metadataOfAnotherLevelDoNotDescribeTheSharedFile() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        run.run(4, (checkpoints, comm) -> {
            IoModeContract.recover(checkpoints, comm, 1, Level.L4);
            int[] fewer = new int[100 + 50 * comm.rank()];
            checkpoints.protect(3, fewer);
            checkpoints.checkpoint(1, Level.L1);
        });
        Files.move(
                SeparateMetadataContract.metadata(run, "l1"),
                SeparateMetadataContract.metadata(run, "tmp"),
                StandardCopyOption.REPLACE_EXISTING);
        for (int node = 0; node < 4; node++) {
            run.loseNode(node);
        }
        IoModeContract.recover(run, 1, Level.L4);
    }

    /** Between two renames the files of both checkpoints are there, and C FTI has no digest that tells them apart. */
    @Test
    default void metadataOfCFtiDoNotDescribeOneOfTwoFiles() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        for (String group : GROUPS) {
            SeparateMetadataContract.unseal(SeparateMetadataContract.metadata(run, "l4/" + group));
        }
        Path file = lastFileOfLevel4(run, 1);
        Path replaced = file.getParent().resolveSibling("drumlin-replaced-l4").resolve(file.getFileName());
        Files.createDirectories(replaced.getParent());
        Files.copy(file, replaced);
        byte[] newer = Files.readAllBytes(file);
        newer[newer.length - 1000] ^= 1;
        Files.write(file, newer);
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
        Files.move(replaced, file, StandardCopyOption.REPLACE_EXISTING);
        Files.delete(replaced.getParent());
        IoModeContract.recover(run, 1, Level.L4);
    }

    /** C FTI compares ckpt_checksum at level 1, so the other digest must not be there. */
    @Test
    default void theCopyOnTheNodesHasTheDigestOfTheSharedFile() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        IoModeContract.recover(run, 1, Level.L4);
        for (String group : GROUPS) {
            GroupMetadata shared = read(run, "l4/" + group);
            GroupMetadata copy = read(run, "l1/" + group);
            for (int i = 0; i < shared.files().size(); i++) {
                FileEntry file = shared.files().get(i);
                assertThat(file.isStriped()).isTrue();
                assertThat(file.digest()).matches("[0-9a-f]{32}");
                assertThat(file.checksum()).isEmpty();
                assertThat(copy.files().get(i).withName("", -1)).isEqualTo(file.withName("", -1));
            }
        }
        IoModeContract.recover(run, 1, Level.L1);
        for (int rank = 1; rank < 4; rank++) {
            Path copy = run.file("Ckpt1-Rank" + rank + ".fti");
            byte[] whole = Files.readAllBytes(copy);
            byte[] changed = whole.clone();
            changed[new Random().nextInt(whole.length)] ^= 4;
            Files.write(copy, changed);
            IoModeContract.recover(run, 1, Level.L4);
            Files.write(copy, whole);
        }
    }

    /** Drumlin wrote them with drumlin_blocks_digested = 1, and heads do it still. */
    @Test
    default void plainDigestsOfTheSharedFileAreCompared() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        for (String group : GROUPS) {
            List<FileEntry> files = new ArrayList<>();
            GroupMetadata metadata = read(run, "l4/" + group);
            for (FileEntry file : metadata.files()) {
                files.add(plain(file, md5(IoModeContract.bytes((int) (file.size() / 4004), 1))));
            }
            try (OutputStream out = Files.newOutputStream(SeparateMetadataContract.metadata(run, "l4/" + group))) {
                metadata.withFiles(files).write(out);
            }
            assertThat(Files.readString(SeparateMetadataContract.metadata(run, "l4/" + group)))
                    .containsPattern("drumlin_blocks_digested +=  *1\n")
                    .doesNotContain("striped");
        }
        IoModeContract.recover(run, 1, Level.L4);
        IoModeContract.recover(run, 1, Level.L1);
        for (int node = 0; node < 4; node++) {
            run.loseNode(node);
        }
        Path file = lastFileOfLevel4(run, 1);
        Tamper.flip(file, -1000);
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    private static FileEntry plain(FileEntry file, String md5) {
        return new FileEntry(
                file.name(), file.size(), file.maxSize(), md5, file.variables(), file.layers(), file.rsedChecksum());
    }

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static GroupMetadata read(RunFixture run, String place) throws IOException {
        byte[] bytes = Files.readAllBytes(SeparateMetadataContract.metadata(run, place));
        return GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
    }
}
