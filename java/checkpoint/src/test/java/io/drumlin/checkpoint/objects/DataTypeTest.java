package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.CompositeType;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.OpaqueType;
import io.drumlin.checkpoint.RecordLayout;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data of types that the program describes. */
class DataTypeTest {

    private record Particle(double x, int id) {}

    private static final RecordLayout<Particle> PARTICLE = RecordLayout.of(Particle.class);

    @TempDir
    Path directory;

    private static double[] protect(Checkpoints checkpoints, ByteBuffer particles) {
        double[] triples = new double[6];
        checkpoints.protect(0, particles, 5, PARTICLE.type());
        checkpoints.protect(1, triples, 2, new OpaqueType("triple", 24));
        return triples;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theyComeBack(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode));
        run.run(2, (checkpoints, comm) -> {
            ByteBuffer particles = ByteBuffer.allocateDirect(6 * PARTICLE.size());
            protect(checkpoints, particles)[5] = comm.rank() + 0.5;
            PARTICLE.put(particles, 4, new Particle(comm.rank(), 4));
            checkpoints.checkpoint(1, Level.L4);
        });
        run.run(2, (checkpoints, comm) -> {
            ByteBuffer particles = ByteBuffer.allocateDirect(6 * PARTICLE.size());
            double[] triples = protect(checkpoints, particles);
            checkpoints.recover();
            assertThat(PARTICLE.get(particles, 4)).isEqualTo(new Particle(comm.rank(), 4));
            assertThat(triples[5]).isEqualTo(comm.rank() + 0.5);
        });
    }

    /** As C FTI writes them: -1 and the bytes of an element. */
    @Test
    void metadataGiveNoNumberButTheSize() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", "1"));
        run.run(2, (checkpoints, comm) -> {
            protect(checkpoints, ByteBuffer.allocate(5 * PARTICLE.size()));
            checkpoints.checkpoint(1, Level.L1);
        });
        assertThat(Files.readAllLines(run.file("sector0-group0.fti")))
                .map(line -> line.replaceAll(" +", " ").strip())
                .contains("var0_typeid = -1", "var0_typesize = 16", "var0_size = 80")
                .contains("var1_typeid = -1", "var1_typesize = 24", "var1_size = 48");
    }

    @Test
    void elementsMustBeWhole() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(2, (checkpoints, comm) -> {
            OpaqueType twelve = new OpaqueType("twelve", 12);
            assertThatThrownBy(() -> checkpoints.protect(0, new double[3], 2, twelve))
                    .hasMessageContaining("8 bytes");
            assertThatThrownBy(() -> checkpoints.protect(0, new int[5], 2, twelve))
                    .hasMessageContaining("0..5");
            assertThatThrownBy(() -> checkpoints.protect(0, new short[3], 1, ElementType.INTG))
                    .hasMessageContaining("2 bytes");
        });
    }

    @Test
    void fieldsThatCannotBeAreRefused() {
        CompositeType inner = new CompositeType("inner", 8);
        CompositeType outer = new CompositeType("outer", 16);
        outer.addScalar("inner", inner, 8);
        assertThatThrownBy(() -> inner.addScalar("outer", outer, 0)).hasMessageContaining("contains inner");
        assertThatThrownBy(() -> inner.addScalar("self", inner, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> outer.addScalar("late", ElementType.INTG, 13)).hasMessageContaining("16 bytes");
        assertThatThrownBy(() -> outer.addScalar("early", ElementType.INTG, -1)).hasMessageContaining("16 bytes");
        assertThatThrownBy(() -> outer.addVector("huge", ElementType.CHAR, 0, List.of(1L << 32, 1L << 32)))
                .hasMessageContaining("16 bytes");
        assertThatThrownBy(() -> outer.addVector("flat", ElementType.CHAR, 0, List.of()))
                .hasMessageContaining("dimensions");
        assertThatThrownBy(() -> outer.addVector("none", ElementType.CHAR, 0, List.of(2L, 0L)))
                .hasMessageContaining("dimensions");
        outer.addVector("whole", ElementType.SHRT, 0, List.of(2L, 4L));
        for (int i = 2; i < CompositeType.MAX_FIELDS; i++) {
            outer.addScalar("field" + i, ElementType.CHAR, i % 16);
        }
        assertThatThrownBy(() -> outer.addScalar("more", ElementType.CHAR, 0)).hasMessageContaining("128 fields");
        assertThatThrownBy(() -> new OpaqueType("nothing", 0)).hasMessageContaining("nothing has 0 bytes");
    }
}
