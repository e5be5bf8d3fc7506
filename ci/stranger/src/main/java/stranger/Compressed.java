package stranger;

import io.drumlin.format.ByteSource;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.format.hdf5.StoredDataset;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads an HDF5 file that needs the HDF5 library. */
public final class Compressed {

    private Compressed() {}

    /**
     * Prints the sum of the numbers in the dataset {@code /numbers}.
     *
     * @param arguments the file
     * @throws Exception whatever happens
     */
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        ByteSource file = new MemoryByteSource(ByteBuffer.wrap(Files.readAllBytes(path)));
        try (Hdf5Reader reader = Hdf5Reader.open(file, path, false)) {
            StoredDataset numbers = reader.dataset("/numbers").orElseThrow();
            ByteBuffer bytes = ByteBuffer.allocate((int) numbers.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            reader.elements().readFully(numbers.chunks().get(0).offset(), bytes);
            double sum = 0;
            for (bytes.flip(); bytes.hasRemaining(); ) {
                sum += bytes.getDouble();
            }
            System.out.println("sum " + sum);
        }
    }
}
