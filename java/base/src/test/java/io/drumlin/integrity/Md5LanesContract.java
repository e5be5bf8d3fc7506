package io.drumlin.integrity;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every {@link Md5Lanes} does. The right digests come from RFC 1321 and from the JDK. */
abstract class Md5LanesContract {

    /** Appendix A.5 of RFC 1321. */
    private static final List<List<String>> VECTORS = List.of(
            List.of("", "d41d8cd98f00b204e9800998ecf8427e"),
            List.of("a", "0cc175b9c0f1b6a831c399e269772661"),
            List.of("abc", "900150983cd24fb0d6963f7d28e17f72"),
            List.of("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            List.of("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            List.of(
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                    "d174ab98d277d9f5a5611c2c9f419d9f"),
            List.of("1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"));

    private final long seed = Long.getLong("drumlin.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Md5Lanes lanes;

    abstract Md5Lanes make();

    @BeforeEach
    void makeLanes() {
        lanes = make();
    }

    @AfterEach
    void closeLanes() {
        if (lanes != null) {
            lanes.close();
            lanes.close();
        }
    }

    @Test
    void givesTheDigestsOfRfc1321InEveryLane() {
        for (int shift = 0; shift < VECTORS.size(); shift++) {
            List<ByteBuffer> pieces = new ArrayList<>();
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                lanes.reset(lane);
                pieces.add(ByteBuffer.wrap(vector(lane + shift).get(0).getBytes(US_ASCII)));
            }
            lanes.update(pieces);
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                assertThat(hex(lane)).isEqualTo(vector(lane + shift).get(1));
            }
        }
    }

    @Test
    void lanesThatWereNotFedAreEmpty() {
        lanes.update(Arrays.asList(null, ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {'a'})));
        assertThat(hex(0)).isEqualTo(vector(0).get(1));
        assertThat(hex(1)).isEqualTo(vector(0).get(1));
        assertThat(hex(2)).isEqualTo(vector(1).get(1));
        assertThat(hex(15)).isEqualTo(vector(0).get(1));
        lanes.update(List.of());
    }

    @Test
    void unevenPiecesOfHeapAndDirectMemoryGiveWhatTheJdkGives() throws Exception {
        for (int trial = 0; trial < 30; trial++) {
            List<ByteArrayOutputStream> streams = new ArrayList<>();
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                lanes.reset(lane);
                streams.add(new ByteArrayOutputStream());
            }
            for (int round = 0; round < 6; round++) {
                lanes.update(randomPieces(streams));
                int again = random.nextInt(4 * Md5Lanes.LANES);
                if (again < Md5Lanes.LANES) {
                    lanes.reset(again);
                    streams.get(again).reset();
                }
            }
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                assertThat(lanes.digest(lane))
                        .as("lane %d, trial %d, -Ddrumlin.test.seed=%d", lane, trial, seed)
                        .isEqualTo(jdk(streams.get(lane).toByteArray()));
            }
        }
    }

    /** Nothing, one byte, and all that decides where the padding goes: 55 bytes, a block of 64, two blocks. */
    @Test
    void sixteenChunksOfDifferentLengthsAtTheEdgesOfBlocks() throws Exception {
        int[] lengths = {0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 4095, 4096, 4097};
        for (int shift = 0; shift < lengths.length; shift++) {
            List<byte[]> chunks = new ArrayList<>();
            List<ByteBuffer> pieces = new ArrayList<>();
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                lanes.reset(lane);
                byte[] chunk = new byte[lengths[(lane + shift) % lengths.length]];
                random.nextBytes(chunk);
                chunks.add(chunk);
                pieces.add(ByteBuffer.allocateDirect(chunk.length).put(0, chunk));
            }
            lanes.update(pieces);
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                assertThat(lanes.digest(lane))
                        .as("%d bytes in lane %d, -Ddrumlin.test.seed=%d", chunks.get(lane).length, lane, seed)
                        .isEqualTo(jdk(chunks.get(lane)));
            }
        }
    }

    /** The number of bits needs more than 32 bits, that of bytes too. */
    @Test
    @Tag("soak")
    void oneChunkOfFiveGiBBesideSmallOnes() throws Exception {
        ByteBuffer piece = ByteBuffer.allocateDirect(64 << 20);
        byte[] bytes = new byte[piece.capacity()];
        random.nextBytes(bytes);
        piece.put(0, bytes);
        MessageDigest large = MessageDigest.getInstance("MD5");
        MessageDigest small = MessageDigest.getInstance("MD5");
        for (long done = 0; done < 5L << 30; done += bytes.length) {
            lanes.update(Arrays.asList(null, piece.slice(0, 1), null, piece));
            large.update(bytes);
            small.update(bytes, 0, 1);
        }
        assertThat(lanes.digest(3)).as("-Ddrumlin.test.seed=%d", seed).isEqualTo(large.digest());
        assertThat(lanes.digest(1)).isEqualTo(small.digest());
        assertThat(hex(0)).isEqualTo(vector(0).get(1));
    }

    @Test
    void largePiecesOfHeapMemoryGiveWhatTheJdkGives() throws Exception {
        byte[] bytes = new byte[300_001];
        random.nextBytes(bytes);
        lanes.update(Arrays.asList(ByteBuffer.wrap(bytes), null, ByteBuffer.wrap(bytes, 7, 100_000)));
        assertThat(lanes.digest(0)).isEqualTo(jdk(bytes));
        assertThat(lanes.digest(2)).isEqualTo(jdk(Arrays.copyOfRange(bytes, 7, 100_007)));
    }

    @Test
    void oneLaneEndsWhileOthersGoOn() throws Exception {
        ByteBuffer piece = ByteBuffer.allocateDirect(1000);
        lanes.update(Collections.nCopies(16, piece));
        assertThat(lanes.digest(3)).isEqualTo(jdk(new byte[1000]));
        lanes.reset(3);
        lanes.update(Collections.nCopies(16, piece));
        assertThat(lanes.digest(3)).isEqualTo(jdk(new byte[1000]));
        assertThat(lanes.digest(4)).isEqualTo(jdk(new byte[2000]));
    }

    /** Rounds of equal pieces, which are hashed together with the whole, and such as begin within a piece. */
    @Test
    void dealtBytesAreAlsoAppendedToOtherLanes() throws Exception {
        for (boolean direct : new boolean[] {true, false}) {
            List<ByteArrayOutputStream> dealt = new ArrayList<>();
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                lanes.reset(lane);
                dealt.add(new ByteArrayOutputStream());
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try (Md5Lanes whole = make();
                    Md5Lanes other = new JavaMd5Lanes()) {
                for (int round = 0; round < 8; round++) {
                    byte[] bytes = new byte[random.nextInt(3 * Md5Lanes.LANES * 640)];
                    random.nextBytes(bytes);
                    int first = round % 2 == 0 ? 640 : 1 + random.nextInt(640);
                    int lane = random.nextInt(Md5Lanes.LANES);
                    ByteBuffer source =
                            direct ? ByteBuffer.allocateDirect(bytes.length).put(0, bytes) : ByteBuffer.wrap(bytes);
                    lanes.deal(source, lane, first, 640, round % 4 < 2 ? whole : other);
                    if (round % 4 < 2) {
                        all.writeBytes(bytes);
                    }
                    for (int at = 0; at < bytes.length; lane = (lane + 1) % Md5Lanes.LANES) {
                        int length = Math.min(at == 0 ? first : 640, bytes.length - at);
                        dealt.get(lane).write(bytes, at, length);
                        at += length;
                    }
                }
                assertThat(whole.digest(0)).as("-Ddrumlin.test.seed=%d", seed).isEqualTo(jdk(all.toByteArray()));
            }
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                assertThat(lanes.digest(lane))
                        .as("lane %d, -Ddrumlin.test.seed=%d", lane, seed)
                        .isEqualTo(jdk(dealt.get(lane).toByteArray()));
            }
        }
    }

    @Test
    void readOnlyBuffersAreTaken() throws Exception {
        lanes.update(List.of(
                ByteBuffer.allocateDirect(100).asReadOnlyBuffer(),
                ByteBuffer.allocate(100).asReadOnlyBuffer()));
        assertThat(lanes.digest(0)).isEqualTo(jdk(new byte[100]));
        assertThat(lanes.digest(1)).isEqualTo(jdk(new byte[100]));
    }

    @Test
    void wrongLanesAndTooManyPiecesAreRefused() {
        assertThatThrownBy(() -> lanes.reset(16)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> lanes.digest(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> lanes.update(Collections.nCopies(17, ByteBuffer.allocate(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("17");
    }

    private List<@Nullable ByteBuffer> randomPieces(List<ByteArrayOutputStream> streams) {
        List<@Nullable ByteBuffer> pieces = new ArrayList<>();
        int count = random.nextInt(Md5Lanes.LANES + 1);
        for (int lane = 0; lane < count; lane++) {
            pieces.add(random.nextInt(5) == 0 ? null : randomPiece(streams.get(lane)));
        }
        return pieces;
    }

    /** Somewhere in a buffer of either kind; */
    private ByteBuffer randomPiece(ByteArrayOutputStream stream) {
        byte[] bytes = new byte[random.nextInt(3) == 0 ? 64 * random.nextInt(40) : random.nextInt(700)];
        random.nextBytes(bytes);
        stream.writeBytes(bytes);
        int before = random.nextInt(70);
        ByteBuffer whole = random.nextBoolean()
                ? ByteBuffer.allocate(before + bytes.length + 5)
                : ByteBuffer.allocateDirect(before + bytes.length + 5);
        whole.put(before, bytes);
        ByteBuffer piece = random.nextBoolean() ? whole : whole.slice(before / 2, whole.capacity() - before / 2);
        int start = piece == whole ? before : before - before / 2;
        return piece.position(start).limit(start + bytes.length);
    }

    @Test
    void positionsAndLimitsStay() {
        ByteBuffer heap = ByteBuffer.allocate(200_000).position(3).limit(199_000);
        ByteBuffer direct = ByteBuffer.allocateDirect(200_000).position(5).limit(199_900);
        lanes.update(List.of(heap, direct));
        assertThat(heap.position()).isEqualTo(3);
        assertThat(heap.limit()).isEqualTo(199_000);
        assertThat(direct.position()).isEqualTo(5);
        assertThat(direct.limit()).isEqualTo(199_900);
    }

    private static List<String> vector(int number) {
        return VECTORS.get(number % VECTORS.size());
    }

    private String hex(int lane) {
        return HexFormat.of().formatHex(lanes.digest(lane));
    }

    private static byte[] jdk(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("MD5").digest(bytes);
    }
}
