package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.SequentialDigester;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.format.ftiff.ContainerPlan.VariableSize;
import io.drumlin.format.ftiff.WrittenFiles.Content;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FtiFfVerifierTest {

    private static final int VARIABLES = 5000;

    /** Every container says that all data are its own. To digest them all would take the square of the file's size. */
    @ParameterizedTest
    @EnumSource(Layout.class)
    void containersUponEachOtherAreNotReadAgainAndAgain(Layout layout) throws IOException {
        ContainerPlan plan = ContainerPlan.empty(Packing.COMPACT)
                .next(IntStream.range(0, VARIABLES)
                        .mapToObj(id -> new VariableSize(id, 20))
                        .toList());
        Specimen file = new Specimen("", WrittenFiles.plain(layout, plan, -1, -1, Content.random(new Random(1))));
        ByteBuffer bytes = ByteBuffer.wrap(file.bytes()).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (Place place : file.places()) {
            if (place.is(Field.CHUNK_SIZE) || place.is(Field.CONTAINER_SIZE)) {
                bytes.putInt(place.offset(), 20 * VARIABLES);
            } else if (place.is(Field.FPTR)) {
                bytes.putLong(place.offset(), 0);
            }
        }
        CountingSource source = new CountingSource(file.bytes());
        Findings findings = new Findings();
        FtiFfFile damaged = FtiFfFile.read(source, Recognition.of(source).orElseThrow(), findings);
        new FtiFfVerifier(source, damaged, new SequentialDigester()).verify(findings);

        assertThat(findings.count()).isGreaterThan(VARIABLES);
        assertThat(source.served).isLessThan(10L * file.bytes().length);
    }

    private static final class CountingSource implements ByteSource {

        private final ByteSource bytes;
        private long served;

        CountingSource(byte[] bytes) {
            this.bytes = new MemoryByteSource(ByteBuffer.wrap(bytes));
        }

        @Override
        public long size() {
            return bytes.size();
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            served += target.remaining();
            bytes.readFully(offset, target);
        }
    }
}
