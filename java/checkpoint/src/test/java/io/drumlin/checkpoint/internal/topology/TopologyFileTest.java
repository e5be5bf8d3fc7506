package io.drumlin.checkpoint.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.format.fti.IniFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopologyFileTest {

    private static final NodeOrder FIRST = new NodeOrder(
            List.of(new NodeIdentity("a", "0-0"), new NodeIdentity("b", "0-1")),
            Optional.of(Numbering.GIVEN),
            List.of(0, 2, 1, 3));

    private static final NodeOrder THEN = new NodeOrder(
            List.of(new NodeIdentity("b", "0-1"), new NodeIdentity("c", "1-1")),
            Optional.of(Numbering.GIVEN),
            List.of(0, 1, 2, 3));

    private static String written() throws DrumlinException {
        String config = String.join(
                "\n",
                "[basic]",
                "node_size = 2",
                "ckpt_dir = local",
                "glbl_dir = global",
                "meta_dir = meta",
                "verbosity = 3",
                "[advanced]",
                "block_size = 1024",
                "local_test = 0",
                "[of another program]",
                "key = value");
        String fresh = TopologyFile.toIni(FtiConfig.parse(config, "config.fti"), FIRST, 4);
        return TopologyFile.withOrder(fresh, "Topology.fti", THEN, 0);
    }

    private static List<NodeOrder> orders(String text) throws DrumlinException {
        return TopologyFile.orders(IniFile.parse(text, "Topology.fti"), "Topology.fti");
    }

    @Test
    void hasTheOrdersThatWereWritten() throws DrumlinException {
        assertThat(orders(written())).hasSize(2).first().isEqualTo(THEN);
    }

    /** Wrong ranks or disks of a node would make a restart look in the wrong places and take an older checkpoint. */
    @Test
    void aFlippedBitChangesNothingOrIsRefused() throws DrumlinException {
        byte[] whole = written().getBytes(StandardCharsets.ISO_8859_1);
        List<NodeOrder> expected = orders(written());
        int refused = 0;
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                IniFile file = IniFile.parse(new String(flipped, StandardCharsets.ISO_8859_1), "Topology.fti");
                assertThat(TopologyFile.orders(file, "Topology.fti"))
                        .as("bit %d", bit)
                        .isEqualTo(expected);
                assertThat(TopologyFile.ranks(file)).as("bit %d", bit).hasValue(4);
                assertThat(TopologyFile.numbering(file)).as("bit %d", bit).contains(Numbering.GIVEN);
            } catch (DrumlinException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(whole.length);
    }

    @Test
    void saysHowADamagedFileIsMended() throws DrumlinException {
        String damaged = written().replace("1-1", "1-2");
        assertThatThrownBy(() -> orders(damaged))
                .hasMessageContaining("reading Topology.fti")
                .hasMessageContaining("its digest is")
                .hasMessageContaining("mend the line that is wrong");
        String withoutDigest = damaged.replaceFirst("(?m)^digest.*$", "");
        assertThat(orders(withoutDigest).get(0).nodes().get(1).disk()).isEqualTo("1-2");
    }

    @Test
    void anUnchangedOrderLeavesTheFile() throws DrumlinException {
        String text = written();
        assertThat(TopologyFile.withOrder(text, "Topology.fti", THEN, 0)).isEqualTo(text);
    }
}
