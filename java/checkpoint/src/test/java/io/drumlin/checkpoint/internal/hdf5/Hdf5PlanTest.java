package io.drumlin.checkpoint.internal.hdf5;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.file.FileImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which files are compressed. */
class Hdf5PlanTest {

    private final double[] smooth = new double[400_000];
    private final Map<Integer, ProtectedData> data = new LinkedHashMap<>();

    Hdf5PlanTest() {
        Arrays.setAll(smooth, i -> i / 8);
        data.put(1, ProtectedData.of(smooth));
    }

    private static byte[] bytes(Hdf5Plan plan) {
        FileImage image = plan.image();
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(image.size()));
        image.readFully(0, all);
        return all.array();
    }

    /** A restart could not read such a file. */
    @Test
    void aFileThatWouldBeTooLargeIsNotCompressed() throws IOException {
        long size = new Hdf5Plan(data, 6, Long.MAX_VALUE).size();
        assertThat(size).isLessThan(8L * smooth.length / 10);
        assertThat(new Hdf5Plan(data, 6, size).size()).isEqualTo(size);
        assertThat(bytes(new Hdf5Plan(data, 6, size - 1))).isEqualTo(bytes(new Hdf5Plan(data)));
        assertThat(bytes(new Hdf5Plan(data, 6, 10))).isEqualTo(bytes(new Hdf5Plan(data)));
    }

    /** A variable of which the program makes something else after the file was planned is in the file as it was. */
    @Test
    void theFileHasWhatWasCompressed() throws IOException {
        Hdf5Plan plan = new Hdf5Plan(data, 1, Long.MAX_VALUE);
        byte[] before = bytes(plan);
        Arrays.fill(smooth, 3);
        assertThat(bytes(plan)).isEqualTo(before);
    }

    /** Gzip makes no file much larger. */
    @Test
    void noiseTakesLittleMore() throws IOException {
        byte[] noise = new byte[5_000_000];
        new Random(1).nextBytes(noise);
        data.put(2, ProtectedData.of(noise));
        data.remove(1);
        assertThat(new Hdf5Plan(data, 9, Long.MAX_VALUE).size()).isBetween(5_000_000L, 6_300_000L);
    }
}
