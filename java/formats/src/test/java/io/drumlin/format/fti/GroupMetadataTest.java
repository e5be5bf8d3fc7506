package io.drumlin.format.fti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.drumlin.Golden;
import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GroupMetadataTest {

    /** As C FTI writes it, but with the keys of all kinds of checkpoints in one. */
    private static final String TEXT =
            """

            [ckpt_info]
            ckpt_type                      = full
            ckpt_id                        = 7


            [0]
            ckpt_file_name                 = Ckpt7-Rank0.fti
            ckpt_file_size                 = 124
            ckpt_file_maxs                 = 124
            ckpt_checksum                  = 43fc3e0ab1f3aeb18d5038f2421e4884
            var0_id                        = 3
            var0_typeid                    = 9
            var0_typesize                  = 8
            var0_size                      = 96
            var0_pos                       = 28
            var0_name                      = Air pressure
            var0_idchar                    = pressure
            var0_ndims                     = 2
            var0_dim0                      = 4
            var0_dim1                      = 3
            var1_id                        = 1
            var1_typeid                    = -1
            var1_typesize                  = 28
            var1_size                      = 28
            var1_pos                       = 0
            var1_name                      =\040
            var1_idchar                    =\040
            var1_ndims                     = 0
            rsed_checksum                  = d269f3b3c64d226039e9bede48985e9a


            [1]
            ckpt_file_name                 = Ckpt7-Rank2.fti
            ckpt_file_size                 = 0
            ckpt_file_maxs                 = 124
            ckpt_checksum                  =\040
            dcp_layer0_size                = 2600
            dcp_layer0_hash                = 20594a6f53d04088f33292272c545b
            dcp_layer0_var0_id             = 1
            dcp_layer0_var0_size           = 1200
            dcp_layer0_var1_id             = 2
            dcp_layer0_var1_size           = 560
            dcp_layer0_drumlin_var0_id     = 1
            dcp_layer0_drumlin_var0_size   = 1100
            dcp_layer1_size                = 1044
            dcp_layer1_hash                = 661780b0e282e998bc6dc35a06e738
            dcp_layer1_var0_id             = 1
            dcp_layer1_var0_size           = 1200
            dcp_layer1_var1_id             = 2
            dcp_layer1_var1_size           = 560


            """;

    private static final GroupMetadata METADATA = new GroupMetadata(
            CkptType.FULL,
            7,
            List.of(
                    new FileEntry(
                            "Ckpt7-Rank0.fti",
                            124,
                            124,
                            "43fc3e0ab1f3aeb18d5038f2421e4884",
                            List.of(
                                    new VariableEntry(3, 9, 8, 96, 28, "Air pressure", "pressure", List.of(4L, 3L)),
                                    new VariableEntry(1, -1, 28, 28, 0, "", "", List.of())),
                            List.of(),
                            "d269f3b3c64d226039e9bede48985e9a"),
                    new FileEntry(
                            "Ckpt7-Rank2.fti",
                            0,
                            124,
                            "",
                            List.of(),
                            List.of(
                                    new LayerEntry(
                                            2600,
                                            "20594a6f53d04088f33292272c545b",
                                            List.of(new LayerEntry.Variable(1, 1100)),
                                            -1),
                                    new LayerEntry(
                                            1044,
                                            "661780b0e282e998bc6dc35a06e738",
                                            List.of(new LayerEntry.Variable(1, 1200), new LayerEntry.Variable(2, 560)),
                                            -1)),
                            null)));

    @Test
    void stripedDigestsAreThoseOfAllFiles() throws IOException {
        List<FileEntry> striped = METADATA.files().stream()
                .map(file -> file.withStripedChecksum("0123456789abcdef0123456789abcdef"))
                .toList();
        String text = write(METADATA.withFiles(striped));
        assertThat(text)
                .contains("drumlin_blocks_digested        = 2\n")
                .contains("ckpt_checksum                  = \n")
                .contains("drumlin_striped_checksum       = 0123456789abcdef0123456789abcdef\n");
        GroupMetadata read = read(text);
        assertThat(read.blocksDigested()).isTrue();
        assertThat(read.files()).isEqualTo(striped);
        assertThat(read.files()).allMatch(FileEntry::isStriped).allMatch(file -> file.digest()
                .equals("0123456789abcdef0123456789abcdef"));
        for (String wrong : List.of(
                text.replace("digested        = 2", "digested        = 1"),
                text.replace("digested        = 2", "digested        = 3"),
                text.replace("blocks_digested", "blocks_digesteb"),
                text.replaceFirst("striped_checksum", "striped_checksun"))) {
            assertThatThrownBy(() -> read(wrong))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("drumlin_");
        }
    }

    @Test
    void aStripedDigestMayBeBesideThatOfCFti() throws IOException {
        String md5 = "0123456789abcdef0123456789abcdef";
        List<FileEntry> beside = List.of(
                METADATA.files().get(0).withStripedBeside(md5), METADATA.files().get(1));
        String text = write(METADATA.withFiles(beside));
        assertThat(text)
                .doesNotContain("drumlin_blocks_digested")
                .contains("ckpt_checksum                  = 43fc3e0ab1f3aeb18d5038f2421e4884\n")
                .contains("drumlin_striped_checksum       = " + md5 + "\n");
        GroupMetadata read = read(text);
        assertThat(read.blocksDigested()).isFalse();
        assertThat(read.files()).isEqualTo(beside);
        assertThat(read.files().get(0).digest()).isEqualTo(md5);
    }

    @Test
    void readsAndWritesTheDialect() throws IOException {
        assertThat(read(TEXT)).isEqualTo(METADATA);
        assertThat(write(METADATA)).isEqualTo(TEXT);
    }

    @Test
    void takesKeysInAnyOrderAndLeavesUnknownOnes() throws IOException {
        List<String> lines = new ArrayList<>(List.of(TEXT.split("\n")));
        Collections.reverse(lines.subList(7, 28));
        lines.add(9, "VAR1_Nothing = 7 ; unknown");
        lines.add(9, "var01_id = 99");
        lines.add(9, "var0_dim01 = 99");
        lines.add(9, "var0_dim32 = 99");
        lines.add(9, "var_id = 99");
        lines.add(9, "var99999999999_id = 99");
        lines.add(9, "dcp_layer = 99");
        lines.add(9, "dcp_layers_size = 99");
        lines.add("[01]\nckpt_file_size = x");
        lines.add("[other]\nckpt_id = x");
        lines.add(0, "ckpt_id = x");
        assertThat(read(String.join("\n", lines))).isEqualTo(METADATA);
    }

    @Test
    void takesTheLastDefinition() throws IOException {
        assertThat(read(TEXT + "[0]\nvar1_id=5\n")
                        .files()
                        .get(0)
                        .variables()
                        .get(1)
                        .id())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ckpt_type|incr|[ckpt_info] ckpt_type",
                "ckpt_id|4294967296|[ckpt_info] ckpt_id",
                "ckpt_id||[ckpt_info] ckpt_id",
                "ckpt_file_name||[0] ckpt_file_name",
                "ckpt_file_name|..|[0] ckpt_file_name",
                "ckpt_file_name|../../../etc/passwd|[0] ckpt_file_name",
                "ckpt_file_size|-1|[0] ckpt_file_size",
                "ckpt_file_size|9223372036854775808|[0] ckpt_file_size",
                "ckpt_file_size|0x7c|[0] ckpt_file_size",
                "ckpt_file_maxs|123|[0] ckpt_file_maxs",
                "var0_id|-1|[0] var0_id",
                "var0_id|1|[0] var1_id",
                "var0_id|2147483648|[0] var0_id",
                "var0_typeid|-2|[0] var0_typeid",
                "var0_typesize|-8|[0] var0_typesize",
                "var0_size|-96|[0] var0_size",
                "var0_size|97|[0] var0_pos",
                "var0_size|9223372036854775807|[0] var0_pos",
                "var0_pos|29|[0] var0_pos",
                "var0_pos|9223372036854775807|[0] var0_pos",
                "var0_ndims|3|[0] var0_dim2",
                "var0_ndims|33|[0] var0_ndims",
                "var0_dim1|-3|[0] var0_dim1",
                "dcp_layer1_size|-1|[1] dcp_layer1_size",
                "dcp_layer0_var1_size|-1|[1] dcp_layer0_var1_size",
                "dcp_layer0_var1_id|-1|[1] dcp_layer0_var1_id",
            })
    void refusesAValueByItsField(String key, String value, String field) {
        String text = TEXT.replaceFirst("(?m)^(" + key + " +=).*", "$1 " + (value == null ? "" : value));
        Finding finding = refusal(text);
        assertThat(finding.field()).isEqualTo(field);
        String section = field.substring(0, field.indexOf(']') + 1);
        assertThat(text.substring((int) finding.offset())).matches("(?s)(\\[.*\\]\n.*|" + key + " +=.*)");
        assertThat(text.lastIndexOf(section, (int) finding.offset())).isGreaterThan(0);
    }

    @Test
    void refusesAMissingKeyByItsField() {
        List<String> lines = List.of(TEXT.split("\n"));
        int refused = 0;
        for (String line : lines) {
            String key = line.replaceFirst(" *=.*", "");
            if (line.contains("=") && !key.equals("rsed_checksum") && !key.startsWith("dcp_layer1")) {
                List<String> less = new ArrayList<>(lines);
                less.remove(line);
                Finding finding = refusal(String.join("\n", less));
                assertThat(finding.field()).endsWith("] " + key);
                assertThat(finding.problem()).contains("is missing");
                refused++;
            }
        }
        assertThat(refused).isEqualTo(36);
    }

    @Test
    void refusesAMissingMember() {
        assertThat(refusal(TEXT.replace("[0]", "[2]")).field()).isEqualTo("[0] ckpt_file_name");
        assertThat(refusal("[ckpt_info]\nckpt_type=full\nckpt_id=1\n").field()).isEqualTo("[0] ckpt_file_name");
        assertThat(refusal("").field()).isEqualTo("[ckpt_info] ckpt_type");
    }

    @Test
    void refusesAMissingVariable() {
        assertThat(refusal(TEXT.replace("var1_", "var2000000_")).field()).isEqualTo("[0] var1_id");
    }

    @Test
    void namesTheLineThatIsNoDefinition() {
        assertThatThrownBy(() -> read(TEXT.replace("ckpt_id ", "no definition\nckpt_id ")))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("line 4 at offset");
        assertThatThrownBy(() -> read("[0]\nvar0_name = " + "x".repeat(2000)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("1023");
    }

    /** C FTI needs time in proportion to the square of this. */
    @Test
    @Tag("exhaustive")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aHundredThousandVariablesInAGroupOfEightTakeNoQuadraticTime(@TempDir Path directory) throws IOException {
        List<VariableEntry> variables = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            variables.add(new VariableEntry(i, 9, 8, 8, 8L * i, "", "", List.of()));
        }
        FileEntry file = new FileEntry("Ckpt1-Rank0.fti", 800_000, 800_000, "", variables, List.of(), null);
        GroupMetadata metadata = new GroupMetadata(CkptType.FULL, 1, Collections.nCopies(8, file));
        Path path = directory.resolve("sector0-group0.fti");
        try (OutputStream target = new BufferedOutputStream(Files.newOutputStream(path), 1 << 20)) {
            metadata.write(target);
        }
        assertThat(read(path)).isEqualTo(metadata);
    }

    static Stream<Path> goldenFiles() throws IOException {
        try (Stream<Path> paths = Files.walk(Golden.path("fti-posix"))) {
            return paths
                    .filter(path -> path.getFileName().toString().matches("sector\\d+-group\\d+\\.fti"))
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("goldenFiles")
    void writesTheBytesOfCFti(Path path) throws IOException {
        // Up to v1.3 the file begins with a section of the configuration.
        String text = Files.readString(path, StandardCharsets.ISO_8859_1)
                .replaceFirst("(?s)^\n\\[injection].*?\n\n(?=\n\\[)", "");
        assertThat(write(read(path))).isEqualTo(text);
    }

    /** Whatever is done to a file, it is refused with its field, or everything in it is possible. */
    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("goldenFiles")
    void givesNothingImpossibleOfADamagedFile(Path path) throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] original = Files.readAllBytes(path);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = original.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) "-9[]=;#\\\n\0 \u00ffv".charAt(random.nextInt(13));
            }
            if (i % 4 == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
            try {
                check(GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(bytes))));
            } catch (FormatException e) {
                assertThat(e.finding().offset()).isBetween(0L, (long) bytes.length);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", file " + i, e);
            }
        }
    }

    private static void check(GroupMetadata metadata) {
        assertThat(metadata.files()).isNotEmpty();
        for (FileEntry file : metadata.files()) {
            assertThat(file.name()).doesNotContain("/");
            assertThat(file.size()).isBetween(0L, file.maxSize());
            for (VariableEntry variable : file.variables()) {
                assertThat(variable.size()).isNotNegative();
                assertThat(variable.pos()).isNotNegative();
                if (metadata.type() == CkptType.FULL) {
                    assertThat(Math.addExact(variable.pos(), variable.size())).isLessThanOrEqualTo(file.size());
                }
            }
        }
    }

    private static Finding refusal(String text) {
        FormatException refusal = catchThrowableOfType(FormatException.class, () -> read(text));
        assertThat(refusal).isNotNull();
        return refusal.finding();
    }

    private static GroupMetadata read(String text) throws IOException {
        return GroupMetadata.read(new MemoryByteSource(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1))));
    }

    private static GroupMetadata read(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path)) {
            return GroupMetadata.read(new ChannelSource(channel, channel.size()));
        }
    }

    private static String write(GroupMetadata metadata) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        metadata.write(bytes);
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** A file that is not read into memory. */
    private record ChannelSource(FileChannel channel, long size) implements ByteSource {

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            for (long at = offset; target.hasRemaining(); ) {
                int count = channel.read(target, at);
                assertThat(count).isPositive();
                at += count;
            }
        }
    }
}
