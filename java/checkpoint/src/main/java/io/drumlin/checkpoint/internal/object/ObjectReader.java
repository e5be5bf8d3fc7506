package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the bytes of a stored object one after the other. No length in them is believed before the bytes are there. */
final class ObjectReader {

    private final ObjectBytes bytes;
    private final ByteBuffer window =
            ByteBuffer.allocate(1 << 13).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private long windowEnd;

    ObjectReader(ObjectBytes bytes) {
        this.bytes = bytes;
    }

    long remaining() {
        return bytes.size() - windowEnd + window.remaining();
    }

    byte get() throws IOException {
        return take(Byte.BYTES).get();
    }

    short getShort() throws IOException {
        return take(Short.BYTES).getShort();
    }

    int getInt() throws IOException {
        return take(Integer.BYTES).getInt();
    }

    long getLong() throws IOException {
        return take(Long.BYTES).getLong();
    }

    /** Returns whether a value follows; otherwise it is null. */
    boolean hasValue(String where) throws IOException {
        byte flag = get();
        if (flag != 0 && flag != 1) {
            throw new IOException(where + " begins with the byte " + flag + ", which is neither null nor a value");
        }
        return flag == 1;
    }

    /**
     * Returns a length.
     *
     * @param least bytes that each of so many things takes
     */
    int getLength(String where, int least) throws IOException {
        int length = getInt();
        if (length < 0 || length > remaining() / least) {
            throw new IOException(
                    where + " is stored with " + length + " elements, and " + remaining() + " bytes are left for them");
        }
        return length;
    }

    /** Copies the next bytes, which are there. */
    void get(ByteBuffer target) throws IOException {
        require(target.remaining());
        int first = Math.min(target.remaining(), window.remaining());
        target.put(window.slice(window.position(), first));
        window.position(window.position() + first);
        int rest = target.remaining();
        if (rest > 0) {
            bytes.copyOut(windowEnd, target);
            windowEnd += rest;
        }
    }

    void skip(long length) throws IOException {
        require(length);
        int first = (int) Math.min(length, window.remaining());
        window.position(window.position() + first);
        windowEnd += length - first;
    }

    private void require(long length) throws IOException {
        if (length > remaining()) {
            throw new IOException("its bytes end too early");
        }
    }

    /** Returns the window, whose next bytes are as many or more. */
    private ByteBuffer take(int length) throws IOException {
        if (window.remaining() < length) {
            require(length);
            window.compact();
            window.limit((int) Math.min(window.capacity(), window.position() + bytes.size() - windowEnd));
            int more = window.remaining();
            bytes.copyOut(windowEnd, window);
            windowEnd += more;
            window.flip();
        }
        return window;
    }
}
