package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Two checksums over a metadata file, in a section of their own at the end; docs/formats/fti-posix.md, section 8. They
 * detect damage, not malice, and need no classes whose loading would delay a small checkpoint. Not thread-safe.
 */
final class Seal {

    /** The section; C FTI looks for no section of that name. */
    static final String SECTION = "drumlin";

    private static final String KEY = "seal";

    /** Length in bytes of {@link #text}, whatever the checksums. */
    static final int LENGTH = new Seal().text().length();

    private final CRC32 crc32 = new CRC32();
    private final CRC32C crc32c = new CRC32C();

    /** Adds the bytes between position and limit, which do not change. */
    void update(ByteBuffer bytes) {
        crc32.update(bytes.duplicate());
        crc32c.update(bytes.duplicate());
    }

    /** Returns the section that must follow the added bytes. */
    String text() {
        IniText text = new IniText();
        text.beginSection(SECTION);
        text.define(KEY, HexFormat.of().toHexDigits(crc32.getValue() << Integer.SIZE | crc32c.getValue()));
        text.endSection();
        text.end();
        return text.toString();
    }

    /** Forwards bytes and adds them to a seal. */
    static final class Output extends OutputStream {

        private final OutputStream target;
        private final Seal seal = new Seal();

        Output(OutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value});
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            seal.update(ByteBuffer.wrap(bytes, offset, length));
            target.write(bytes, offset, length);
        }

        /** Ends the file. */
        void finish() throws IOException {
            target.write(seal.text().getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Adds bytes to a seal while they are read. They must be read in order, from the first on. */
    static final class Input implements ByteSource {

        private final ByteSource source;
        private final Seal seal = new Seal();
        private final ByteBuffer end = ByteBuffer.allocate(LENGTH);
        private long read;

        Input(ByteSource source) {
            this.source = source;
        }

        @Override
        public long size() {
            return source.size();
        }

        @Override
        public void readFully(long offset, ByteBuffer target) throws IOException {
            if (offset != read) {
                throw new IllegalArgumentException("offset " + offset + " does not follow " + read);
            }
            ByteBuffer bytes = target.duplicate();
            source.readFully(offset, target);
            int sealed = (int) Math.max(0, Math.min(bytes.remaining(), size() - LENGTH - read));
            read += bytes.remaining();
            seal.update(bytes.slice(bytes.position(), sealed));
            bytes.position(bytes.position() + sealed);
            end.put(bytes);
        }

        /** Returns whether the file, which was read completely, ends with its seal. */
        boolean isWhole() {
            byte[] expected = seal.text().getBytes(StandardCharsets.ISO_8859_1);
            return read == size() && end.flip().equals(ByteBuffer.wrap(expected));
        }
    }
}
