package io.drumlin.cli.inspect;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The formats in which data are extracted. */
enum OutputFormat {

    /** The bytes as they are in the file. */
    raw {
        @Override
        OutputStream begin(StoredData data, OutputStream target) {
            return target;
        }
    },

    /** NumPy's format, version 1.0. */
    npy {
        @Override
        OutputStream begin(StoredData data, OutputStream target) throws IOException {
            target.write(numpyHeader(data));
            return target;
        }
    },

    /** A line of numbers for each row of the last dimension. */
    csv {
        @Override
        OutputStream begin(StoredData data, OutputStream target) {
            List<Long> shape = data.shape();
            long columns = shape.size() > 1 ? shape.get(shape.size() - 1) : 1;
            return new CsvLines(data.elementType(), columns, target);
        }
    };

    private static final int BUFFER = 1 << 16;

    /** Headers are padded so that the elements begin at a multiple of this. */
    private static final int ALIGNMENT = 64;

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};

    /**
     * Begins the output.
     *
     * @param data typed data, with rows
     * @return a stream for the bytes of the rows; it need not be closed
     */
    abstract OutputStream begin(StoredData data, OutputStream target) throws IOException;

    /** Writes data in this format. */
    void write(StoredData data, DataFile.Copy copy, OutputStream target) throws IOException {
        OutputStream buffered = new BufferedOutputStream(target, BUFFER);
        copy.to(begin(data, buffered));
        buffered.flush();
    }

    /**
     * Checks that the format can hold data.
     *
     * @param typed whether the user has given the type
     * @throws CommandException it cannot
     */
    void require(StoredData data, boolean typed) {
        if (this != raw && !typed && data.elementType().equals(ValueType.BYTES)) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    data.label() + ": the file does not have the type of its elements; say --type, for example double");
        }
    }

    private static byte[] numpyHeader(StoredData data) {
        List<Long> shape = new ArrayList<>(data.shape());
        data.rows().ifPresent(rows -> shape.set(0, rows.to() - rows.from()));
        String dimensions = shape.stream().map(each -> each + ",").collect(Collectors.joining(" ", "(", ")"));
        String text = "{'descr': '" + data.elementType().numpy() + "', 'fortran_order': False, 'shape': " + dimensions
                + ", }";
        int length = MAGIC.length + Short.BYTES + text.length() + 1;
        int padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        int rest = padded - MAGIC.length - Short.BYTES;
        byte[] header = new byte[padded];
        System.arraycopy(MAGIC, 0, header, 0, MAGIC.length);
        header[MAGIC.length] = (byte) rest;
        header[MAGIC.length + 1] = (byte) (rest >> Byte.SIZE);
        byte[] words = (text + " ".repeat(padded - length) + "\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(words, 0, header, MAGIC.length + Short.BYTES, words.length);
        return header;
    }
}
