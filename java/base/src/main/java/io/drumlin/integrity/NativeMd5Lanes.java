package io.drumlin.integrity;

import io.drumlin.internal.MemoryFault;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@link Md5Lanes} with the C core: up to sixteen streams in one SIMD register. */
final class NativeMd5Lanes implements Md5Lanes {

    /** Heap memory is copied in pieces of so many bytes per lane, so that all lanes together stay in the cache. */
    private static final int HEAP_PIECE = 16 << 10;

    private static final int LENGTHS = LANES * Long.BYTES;
    private static final int DIGEST = 2 * LANES * Long.BYTES;

    /** Addresses of the pieces, their lengths, and a digest. */
    private final ByteBuffer arguments =
            ByteBuffer.allocateDirect(DIGEST + DIGEST_LENGTH).order(ByteOrder.nativeOrder());

    private final long argumentsAddress;

    /** Number of bytes of each piece that the C core has received. */
    private final int[] taken = new int[LANES];

    /** Address of the C core's streams; 0 once closed. */
    private long streams;

    /** One piece per lane, allocated when heap memory first comes. */
    private @Nullable ByteBuffer copies;

    /** {@code width}: lanes per instruction; 0 for the maximum of this processor. */
    NativeMd5Lanes(int width) {
        NativeCore.ensureAvailable();
        argumentsAddress = NativeMemory.address(arguments);
        streams = NativeMemory.make("MD5 lanes", result -> CoreLibrary.drumlin_md5_create(result, width));
    }

    /** Returns the number of lanes per instruction. */
    int width() {
        return CoreLibrary.drumlin_md5_width(open());
    }

    @Override
    public void reset(int lane) {
        CoreLibrary.drumlin_md5_reset(open(), Objects.checkIndex(lane, LANES));
    }

    @Override
    public void update(List<? extends @Nullable ByteBuffer> pieces) {
        int count = pieces.size();
        DigestEngine.checkCount(count);
        Arrays.fill(taken, 0, count, 0);
        try {
            while (takeAll(pieces)) {
                CoreLibrary.drumlin_md5_update(open(), argumentsAddress, argumentsAddress + LENGTHS, count);
            }
        } finally {
            Reference.reachabilityFence(pieces);
        }
    }

    /** Records what the lanes get next; returns false if there is nothing. */
    private boolean takeAll(List<? extends @Nullable ByteBuffer> pieces) {
        boolean any = false;
        for (int lane = 0; lane < pieces.size(); lane++) {
            ByteBuffer piece = pieces.get(lane);
            int length = piece == null ? 0 : take(lane, piece);
            arguments.putLong(LENGTHS + lane * Long.BYTES, length);
            any |= length > 0;
        }
        return any;
    }

    private int take(int lane, ByteBuffer piece) {
        int length = piece.remaining() - taken[lane];
        long address;
        if (NativeMemory.isLasting(piece)) {
            address = NativeMemory.address(piece);
        } else {
            length = Math.min(length, HEAP_PIECE);
            int place = lane * HEAP_PIECE;
            copies().put(place, piece, piece.position() + taken[lane], length);
            MemoryFault.throwPending(piece);
            address = NativeMemory.address(copies()) + place;
        }
        arguments.putLong(lane * Long.BYTES, address);
        taken[lane] += length;
        return length;
    }

    @Override
    public void deal(ByteBuffer bytes, int lane, int first, int others) {
        if (!NativeMemory.isLasting(bytes)) {
            Md5Lanes.super.deal(bytes, lane, first, others);
            return;
        }
        try {
            deal(NativeMemory.address(bytes), bytes.remaining(), lane, first, others, 0);
        } finally {
            Reference.reachabilityFence(bytes);
        }
    }

    @Override
    public void deal(ByteBuffer bytes, int lane, int first, int others, Md5Lanes whole) {
        if (whole instanceof NativeMd5Lanes streams && NativeMemory.isLasting(bytes)) {
            try {
                deal(NativeMemory.address(bytes), bytes.remaining(), lane, first, others, streams.open());
            } finally {
                Reference.reachabilityFence(bytes);
                Reference.reachabilityFence(streams);
            }
        } else {
            Md5Lanes.super.deal(bytes, lane, first, others, whole);
        }
    }

    /** {@code whole}: address of the streams whose first one gets all bytes; 0 for none. */
    private void deal(long address, int length, int lane, int first, int others, long whole) {
        int next = Objects.checkIndex(lane, LANES);
        int size = first;
        for (int at = 0; at < length; ) {
            int begin = at;
            for (int i = 0; i < LANES; i++) {
                int taken = Math.min(size, length - at);
                arguments.putLong(next * Long.BYTES, address + at);
                arguments.putLong(LENGTHS + next * Long.BYTES, taken);
                at += taken;
                size = others;
                next = (next + 1) % LANES;
            }
            long lengths = argumentsAddress + LENGTHS;
            if (whole == 0) {
                CoreLibrary.drumlin_md5_update(open(), argumentsAddress, lengths, LANES);
            } else {
                CoreLibrary.drumlin_md5_update_beside(
                        open(), argumentsAddress, lengths, LANES, whole, 0, address + begin, at - begin);
            }
        }
    }

    private ByteBuffer copies() {
        ByteBuffer made = copies;
        if (made == null) {
            made = ByteBuffer.allocateDirect(LANES * HEAP_PIECE);
            copies = made;
        }
        return made;
    }

    @Override
    public byte[] digest(int lane) {
        CoreLibrary.drumlin_md5_digest(open(), Objects.checkIndex(lane, LANES), argumentsAddress + DIGEST);
        byte[] digest = new byte[DIGEST_LENGTH];
        arguments.get(DIGEST, digest);
        return digest;
    }

    @Override
    public void close() {
        long closing = streams;
        streams = 0;
        if (closing != 0) {
            CoreLibrary.drumlin_md5_destroy(closing);
        }
    }

    private long open() {
        if (streams == 0) {
            throw new IllegalStateException("the MD5 lanes were closed");
        }
        return streams;
    }
}
