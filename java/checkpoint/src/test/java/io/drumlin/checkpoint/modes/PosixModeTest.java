package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PosixModeTest extends IoModeContract implements OtherRanksContract, SeparateMetadataContract {

    @Override
    public int ioMode() {
        return 1;
    }

    @Override
    String nameOfMode() {
        return "POSIX";
    }

    @Override
    String copiesOfHeads() {
        return "l1";
    }

    /** C FTI with ranks dealt out to the nodes in turn: those of all groups are in one file. */
    @Test
    void checksumsOfEachGroupAreInItsOwnFile() throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2"));
        run.run(RANKS, (checkpoints, comm) -> {
            take(checkpoints, comm, 1, Level.L3);
        });
        for (int group = 0; group < 2; group++) {
            String text = Files.readString(SeparateMetadataContract.metadata(run, "l3/sector0-group" + group + ".fti"));
            for (int member = 0; member < 2; member++) {
                String md5 = md5(run.file("Ckpt1-RSed" + (2 * member + group) + ".fti"));
                assertThat(text).contains("rsed_checksum                  = " + md5);
            }
        }
    }

    private static String md5(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** What is damaged of a checkpoint that nobody needs any more keeps no run from going on, nor from its end. */
    @Test
    void damagedMetadataAreArchivedAsTheyAre() throws IOException {
        RunFixture run = make(Map.of("basic.group_size", "4", "basic.keep_l4_ckpt", "1"));
        take(run, 1, Level.L4, Level.L1);
        cutMetadataOfLevel4(run);
        take(run, 3, Level.L4, Level.L1);
        assertThat(run.files())
                .contains("Global/X/l4_archive/Ckpt1-Rank0.fti", "Meta/X/l4_archive/Ckpt_damaged/sector0-group0.fti");
        recover(run, 4, Level.L1);
        cutMetadataOfLevel4(run);
        run.run(RANKS, (checkpoints, comm) -> checkpoints.complete());
        assertThat(run.files()).contains("Global/X/l4_archive/Ckpt3-Rank3.fti");
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    private static void cutMetadataOfLevel4(RunFixture run) throws IOException {
        Path metadata = SeparateMetadataContract.metadata(run, "l4/sector0-group0.fti");
        Files.writeString(metadata, Files.readString(metadata).substring(0, 51));
    }
}
