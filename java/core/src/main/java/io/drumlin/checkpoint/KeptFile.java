package io.drumlin.checkpoint;

import io.drumlin.checkpoint.StoredFile.Chunk;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Bytes of a file in memory outside the Java heap: what was read of it, or what it was made of. Not thread-safe. */
final class KeptFile {

    /** Large enough for huge pages. */
    static final int BLOCK_BYTES = 16 << 20;

    /** Bytes of a block that may be left over. */
    private static final int MOST_WASTED = 1 << 20;

    private final IntFunction<AlignedBuffer> memory;
    private final long bytes;
    private final List<AlignedBuffer> blocks = new ArrayList<>();
    private final TreeMap<Long, ByteBuffer> pieces = new TreeMap<>();
    private ByteBuffer free = ByteBuffer.allocate(0);
    private @Nullable FileIdentity identity;
    private @Nullable Original original;
    private Optional<MappedFile> mapping = Optional.empty();

    /** The file that is mapped, where what is here counts as that of its copy. */
    private record Original(Path path, @Nullable FileIdentity identity) {
        boolean isUnchanged() throws IOException {
            try {
                return FileIdentity.of(path).equals(identity);
            } catch (NoSuchFileException e) {
                return false;
            }
        }
    }

    /** What becomes of kept bytes. */
    @FunctionalInterface
    interface Sink {
        void take(long position, ByteBuffer piece);
    }

    /**
     * @param memory gives blocks of at least so many bytes
     * @param bytes that will be kept
     */
    KeptFile(IntFunction<AlignedBuffer> memory, long bytes) {
        this.memory = memory;
        this.bytes = bytes;
    }

    /** Bytes of memory to keep chunks that are read in blocks. */
    static long bytesFor(List<Chunk> chunks) {
        return chunks.stream()
                .mapToLong(chunk ->
                        BlockEdges.roundUp(chunk.offset() % AlignedBuffer.ALIGNMENT + chunk.length(), BlockEdges.BLOCK))
                .sum();
    }

    long bytes() {
        return bytes;
    }

    /** Takes the bytes where the system reads them, and no other memory. The mapping is given back with what is here. */
    void map(MappedFile file) {
        mapping = Optional.of(file);
    }

    /** Where the bytes come from, unless they are read into {@link #space}. */
    Optional<MappedFile> mapping() {
        return mapping;
    }

    /** Memory for a piece, from an aligned address on. */
    ByteBuffer space(int length) {
        int room = (int) BlockEdges.roundUp(length, AlignedBuffer.ALIGNMENT);
        if (free.remaining() < room && free.remaining() > MOST_WASTED) {
            return block(room).slice(0, length);
        }
        if (blocks.isEmpty() || free.remaining() < room) {
            // A small file takes no large block.
            free = block((int) Math.max(room, Math.min(BLOCK_BYTES, bytes)));
        }
        ByteBuffer space = free.slice(free.position(), length);
        free.position(free.position() + room);
        return space;
    }

    private ByteBuffer block(int size) {
        AlignedBuffer block = memory.apply(size);
        blocks.add(block);
        return block.buffer().clear();
    }

    /** Takes note of bytes of the file. */
    void put(long offset, ByteBuffer piece) {
        if (piece.hasRemaining()) {
            pieces.put(offset, piece.slice());
        }
    }

    /**
     * Takes the memory for a file that is going to be written from its beginning to its end.
     *
     * @param slabBytes bytes of a slab, at most {@link #BLOCK_BYTES}
     * @return the slabs to write it through, each of them once and in order
     */
    SlabPool slabs(int slabBytes) {
        List<ByteBuffer> slices = new ArrayList<>();
        for (long offset = 0; offset < bytes; offset += BLOCK_BYTES) {
            int length = (int) Math.min(BLOCK_BYTES, BlockEdges.roundUp(bytes - offset, slabBytes));
            ByteBuffer block = block(length);
            put(offset, block.slice(0, (int) Math.min(length, bytes - offset)));
            for (int at = 0; at < length; at += slabBytes) {
                slices.add(block.slice(at, slabBytes));
            }
        }
        return new SlabPool(slices.iterator()::next, () -> {}, Math.max(1, slices.size()), slabBytes);
    }

    /** What is here is of this file as it is now. */
    void isOf(Path path) throws IOException {
        isOf(FileIdentity.of(path));
    }

    /** The same as it was. */
    void isOf(FileIdentity file) {
        identity = file;
    }

    /**
     * What is here is from now on of a copy, as it is now. If it is mapped it still changes with the file of which it was.
     *
     * @param from the file of which it was
     * @param start where in the file of which it was the copy begins
     */
    void isOfCopy(Path from, Path copy, long start) throws IOException {
        Map<Long, ByteBuffer> before = Map.copyOf(pieces);
        pieces.clear();
        before.forEach((offset, piece) -> pieces.put(offset - start, piece));
        if (mapping.isPresent()) {
            original = new Original(from, identity);
        }
        isOf(copy);
    }

    /** Whether a file is the one of which bytes are here, under whatever name, and was not written since. */
    boolean knows(Path path) throws IOException {
        return identity != null
                && identity.equals(FileIdentity.of(path))
                && (original == null || original.isUnchanged());
    }

    /** Whether all of the chunks are here. */
    boolean hold(List<Chunk> chunks) {
        for (Chunk chunk : chunks) {
            long end = chunk.offset() + chunk.length();
            long at = chunk.offset();
            while (at < end) {
                int length = lengthAt(at);
                if (length == 0) {
                    return false;
                }
                at += length;
            }
        }
        return true;
    }

    /** Bytes that are here from an offset on, in one piece; 0 if there are none. */
    private int lengthAt(long offset) {
        Map.Entry<Long, ByteBuffer> piece = pieces.floorEntry(offset);
        long end = piece == null ? offset : piece.getKey() + piece.getValue().capacity();
        return (int) Math.max(0, end - offset);
    }

    private ByteBuffer slice(long offset, int length) {
        Map.Entry<Long, ByteBuffer> piece = pieces.floorEntry(offset);
        return piece.getValue().slice((int) (offset - piece.getKey()), length);
    }

    /**
     * Copies bytes into a buffer, as far as they are here and there is room.
     *
     * @return how many
     */
    int read(long offset, ByteBuffer target) {
        int length = Math.min(lengthAt(offset), target.remaining());
        if (length > 0) {
            target.put(slice(offset, length));
        }
        return length;
    }

    /** The offset of the next byte that is here, behind one that is not. */
    long next(long offset) {
        Long next = pieces.higherKey(offset);
        return next == null ? Long.MAX_VALUE : next;
    }

    /** Bytes that are held: where they lie if that is one piece of memory, else copied into {@code spare}. */
    ByteBuffer view(long offset, int length, ByteBuffer spare) {
        if (lengthAt(offset) >= length) {
            return slice(offset, length);
        }
        ByteBuffer copy = spare.slice(0, length);
        while (copy.hasRemaining()) {
            read(offset + copy.position(), copy);
        }
        return copy.flip();
    }

    /** Hands out the bytes of a chunk that is held. */
    void copy(Chunk chunk, Sink sink) {
        long position = 0;
        while (position < chunk.length()) {
            long offset = chunk.offset() + position;
            int length = (int) Math.min(lengthAt(offset), chunk.length() - position);
            sink.take(position, slice(offset, length));
            position += length;
        }
    }

    /** Forgets all bytes and gives the memory away. */
    List<AlignedBuffer> release() {
        identity = null;
        pieces.clear();
        free = ByteBuffer.allocate(0);
        mapping.ifPresent(MappedFile::close);
        mapping = Optional.empty();
        List<AlignedBuffer> released = List.copyOf(blocks);
        blocks.clear();
        return released;
    }
}
