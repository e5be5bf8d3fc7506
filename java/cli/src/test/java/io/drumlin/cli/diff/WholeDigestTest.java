package io.drumlin.cli.diff;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.cli.file.DataFile.Block;
import io.drumlin.cli.file.FileSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.internal.RangeDigester;
import io.drumlin.format.internal.RangeDigester.Range;
import io.drumlin.integrity.StripedDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Digests of the blocks of a file whose bytes come in pieces. */
class WholeDigestTest {

    @TempDir
    private Path folder;

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void piecesInAnyOrderAreDigestedOnce() throws IOException {
        for (int round = 0; round < 40; round++) {
            byte[] bytes = new byte[1 + random.nextInt(1 << random.nextInt(21))];
            random.nextBytes(bytes);
            Path path = Files.write(folder.resolve("file"), bytes);
            try (FileSource source = FileSource.open(path)) {
                List<Block> blocks = blocks(source);
                digest(source, blocks, bytes);
                // What was read is compared, not what is in the file.
                int at = random.nextInt(bytes.length);
                bytes[at]++;
                long start = blocks.stream()
                        .mapToLong(block -> block.range().offset())
                        .filter(offset -> offset <= at)
                        .max()
                        .orElseThrow();
                assertThatThrownBy(() -> digest(source, blocks, bytes))
                        .as("-Ddrumlin.test.seed=" + seed)
                        .isInstanceOf(FormatException.class)
                        .hasMessageContaining("checksum at offset " + start + " in ");
            }
        }
    }

    /** Blocks of both kinds, of which some are empty. */
    private List<Block> blocks(FileSource source) throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (long done = 0; done < source.size(); ) {
            boolean isLast = blocks.size() == 4;
            long left = source.size() - done;
            Range range = new Range(done, isLast ? left : (long) (left * Math.min(random.nextDouble() * 1.4, 1)));
            boolean striped = random.nextBoolean();
            RangeDigester digester = striped ? new StripedDigester() : new SequentialDigester();
            byte[] digest = digester.digest(source, List.of(range)).get(0);
            blocks.add(new Block(range, HexFormat.of().formatHex(digest), striped));
            done += range.length();
        }
        return blocks;
    }

    /** Adds the bytes but for a gap, the same as in the file, which is read there. */
    private void digest(FileSource source, List<Block> blocks, byte[] bytes) throws IOException {
        try (WholeDigest digest = new WholeDigest(source, blocks)) {
            for (int at = 0; at < bytes.length; ) {
                int length = 1 + random.nextInt(Math.min(bytes.length - at, 1 << 18));
                boolean same = isInFile(source, at, bytes, length);
                if (!same || random.nextInt(4) > 0) {
                    digest.add(at, ByteBuffer.wrap(bytes, at, length));
                }
                at += length;
            }
            digest.add(0, ByteBuffer.wrap(bytes, 0, 1));
            digest.finish();
        }
    }

    private static boolean isInFile(FileSource source, int at, byte[] bytes, int length) throws IOException {
        ByteBuffer stored = ByteBuffer.allocate(length);
        source.readFully(at, stored);
        return stored.flip().equals(ByteBuffer.wrap(bytes, at, length));
    }
}
