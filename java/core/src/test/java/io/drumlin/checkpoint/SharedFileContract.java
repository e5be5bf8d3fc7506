package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the modes promise whose level 4 is one file of all ranks. */
interface SharedFileContract {

    /** See {@link IoModeContract}. */
    RunFixture make(Map<String, String> changes) throws IOException;

    /** C FTI writes anything for their checksums; its files must be recovered all the same. */
    @Test
    default void theChecksumsThatCFtiWritesForTheSharedFileAreNotBelieved() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        for (String group : List.of("sector0-group0.fti", "sector1-group0.fti")) {
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
}
