package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicator.Request;
import io.drumlin.comm.internal.Arguments;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every {@link Communicator} must do. Each test runs on all ranks of a job. */
public abstract class CommunicatorContract {

    /** Message lengths around the limits at which carriers change their ways: empty, eager, and far beyond. */
    private static final int[] LENGTHS = {0, 1, 8, 4095, 4096, 65536, 65537, 5 * 1024 * 1024 + 3};

    /** Spare bytes around every message, which no call may touch. */
    private static final int MARGIN = 5;

    /**
     * Runs {@code body} on every rank, each with a communicator of all of them.
     *
     * @param body a rank's part of a test
     * @throws Exception what the body threw
     */
    protected abstract void onRanks(RankBody<Exception> body) throws Exception;

    @Test
    void ranksCountFromZero() throws Exception {
        onRanks(world -> {
            assertThat(world.size()).isPositive();
            ByteBuffer all = ByteBuffer.allocate(4 * world.size());
            world.allgather(ByteBuffer.allocate(4).putInt(0, world.rank()), all);
            assertThat(IntStream.range(0, world.size()).map(i -> all.getInt(4 * i)))
                    .containsExactlyElementsOf(
                            IntStream.range(0, world.size()).boxed().toList());
        });
    }

    @Test
    void exscanAddsUpTheLowerRanks() throws Exception {
        onRanks(world -> {
            long big = 1L << 40;
            assertThat(world.exscan(big + world.rank()))
                    .isEqualTo(world.rank() * big
                            + LongStream.range(0, world.rank()).sum());
            assertThat(world.exscan(world.rank() == 0 ? -3 : 0)).isEqualTo(world.rank() == 0 ? 0 : -3);
        });
    }

    @Test
    void noRankLeavesABarrierBeforeAllHaveCome() throws Exception {
        onRanks(world -> {
            Path meeting = sharedDirectory(world);
            for (int round = 1; round <= 20; round++) {
                Files.createFile(meeting.resolve(round + "-" + world.rank()));
                world.barrier();
                for (int other = 0; other < world.size(); other++) {
                    assertThat(meeting.resolve(round + "-" + other)).exists();
                }
            }
            world.barrier();
            if (world.rank() == 0) {
                deleteTree(meeting);
            }
        });
    }

    @Test
    void allreduceJoinsEveryElement() throws Exception {
        onRanks(world -> {
            long size = world.size();
            long rank = world.rank();
            assertThat(allreduce(world, Op.SUM, rank, 1, -rank, Long.MAX_VALUE))
                    .containsExactly(size * (size - 1) / 2, size, -size * (size - 1) / 2, Long.MAX_VALUE * size);
            assertThat(allreduce(world, Op.MIN, rank, -rank, rank == 0 ? Long.MIN_VALUE : Long.MAX_VALUE))
                    .containsExactly(0, -(size - 1), Long.MIN_VALUE);
            assertThat(allreduce(world, Op.MAX, rank, -rank, rank == size - 1 ? Long.MAX_VALUE : Long.MIN_VALUE))
                    .containsExactly(size - 1, 0, Long.MAX_VALUE);
            assertThat(allreduce(world, Op.SUM)).isEmpty();
            long[] many = LongStream.range(0, 100_000).map(i -> i * (rank + 1)).toArray();
            world.allreduce(many, Op.MAX);
            assertThat(many)
                    .isEqualTo(LongStream.range(0, 100_000).map(i -> i * size).toArray());
        });
    }

    private static long[] allreduce(Communicator world, Op op, long... values) throws IOException {
        world.allreduce(values, op);
        return values;
    }

    /** The same bits with every implementation, for the order depends on the number of ranks alone. */
    @Test
    void doublesAreAddedInPairs() throws Exception {
        onRanks(world -> {
            double[] values = doubles(world.rank());
            double[][] sums = new double[world.size()][];
            for (int rank = 0; rank < sums.length; rank++) {
                sums[rank] = doubles(rank);
            }
            for (int distance = 1; distance < sums.length; distance *= 2) {
                for (int rank = 0; rank + distance < sums.length; rank += 2 * distance) {
                    for (int i = 0; i < values.length; i++) {
                        sums[rank][i] += sums[rank + distance][i];
                    }
                }
            }
            for (int root = 0; root < world.size(); root++) {
                double[] atRoot = values.clone();
                world.reduce(atRoot, Op.SUM, root);
                assertThat(atRoot).isEqualTo(world.rank() == root ? sums[0] : values);
            }
            world.allreduce(values, Op.SUM);
            assertThat(values).isEqualTo(sums[0]);
            double[] extremes = {world.rank() == 0 ? -0.0 : 0.0, world.rank() == 0 ? Double.NaN : 1, -world.rank()};
            double[] least = extremes.clone();
            world.allreduce(least, Op.MIN);
            world.allreduce(extremes, Op.MAX);
            int size = world.size();
            assertThat(least).containsExactly(-0.0, Double.NaN, 1 - size);
            assertThat(extremes).containsExactly(size == 1 ? -0.0 : 0.0, Double.NaN, 0);
            world.allreduce(new double[0], Op.SUM);
        });
    }

    private static double[] doubles(int rank) {
        return new Random(rank).doubles(20_000, -1e6, 1e6).toArray();
    }

    @Test
    void integersAreReduced() throws Exception {
        onRanks(world -> {
            int rank = world.rank();
            int size = world.size();
            int[] ints = {rank, Integer.MAX_VALUE, -rank};
            world.allreduce(ints, Op.SUM);
            assertThat(ints).containsExactly(size * (size - 1) / 2, Integer.MAX_VALUE * size, -size * (size - 1) / 2);
            int last = size - 1;
            long[] longs = {rank, Long.MIN_VALUE + rank};
            world.reduce(longs, Op.MAX, last);
            assertThat(longs).containsExactly(rank, Long.MIN_VALUE + rank);
            int[] least = {rank, -rank};
            world.reduce(least, Op.MIN, last);
            assertThat(least).containsExactly(rank == last ? 0 : rank, -rank);
            assertThatIllegalArgumentException().isThrownBy(() -> world.reduce(new long[1], Op.SUM, size));
            world.barrier();
        });
    }

    @Test
    void arraysOfEveryPrimitiveAreMoved() throws Exception {
        onRanks(world -> {
            int rank = world.rank();
            int size = world.size();
            for (Class<?> type : List.of(
                    boolean.class,
                    byte.class,
                    short.class,
                    char.class,
                    int.class,
                    long.class,
                    float.class,
                    double.class)) {
                for (int length : new int[] {0, 1, 700}) {
                    Object own = array(type, length, rank);
                    Object all = Array.newInstance(type, length * size);
                    world.allgather(own, all);
                    assertThat(parts(all, size)).isEqualTo(everyones(type, length, size));
                    int root = length % size;
                    Object part = Array.newInstance(type, length);
                    world.scatter(all, part, root);
                    assertThat(part).isEqualTo(own);
                    Object gathered = Array.newInstance(type, length * size);
                    world.gather(own, gathered, root);
                    assertThat(gathered).isEqualTo(rank == root ? all : Array.newInstance(type, length * size));
                    Object copy = array(type, length, rank);
                    world.bcast(copy, root);
                    assertThat(copy).isEqualTo(array(type, length, root));
                }
            }
        });
    }

    private static Object array(Class<?> type, int length, int seed) {
        Random random = new Random(seed);
        Object array = Array.newInstance(type, length);
        for (int i = 0; i < length; i++) {
            int value = random.nextInt(1 << 20);
            Array.set(
                    array,
                    i,
                    switch (type.getName()) {
                        case "boolean" -> value % 2 == 0;
                        case "byte" -> (byte) value;
                        case "short" -> (short) value;
                        case "char" -> (char) value;
                        case "int" -> value;
                        case "long" -> (long) value << 20;
                        case "float" -> value / 3f;
                        default -> value / 7.0;
                    });
        }
        return array;
    }

    private static List<Object> everyones(Class<?> type, int length, int size) {
        return IntStream.range(0, size)
                .mapToObj(rank -> boxed(array(type, length, rank), 0, length))
                .toList();
    }

    private static List<Object> parts(Object all, int size) {
        int length = Array.getLength(all) / size;
        return IntStream.range(0, size)
                .mapToObj(rank -> boxed(all, rank * length, length))
                .toList();
    }

    private static Object boxed(Object array, int from, int length) {
        return IntStream.range(from, from + length)
                .mapToObj(i -> Array.get(array, i))
                .toList();
    }

    @Test
    void allgathervTakesArraysOfAnyLength() throws Exception {
        onRanks(world -> {
            short[] own = new short[world.rank() * 1000 % 3001];
            Arrays.fill(own, (short) world.rank());
            short[] all = world.allgatherv(own);
            int at = 0;
            for (int rank = 0; rank < world.size(); rank++) {
                for (int i = 0; i < rank * 1000 % 3001; i++) {
                    assertThat(all[at++]).isEqualTo((short) rank);
                }
            }
            assertThat(all).hasSize(at);
            assertThat(world.allgatherv(new double[0])).isEmpty();
        });
    }

    @Test
    void everyoneSendsAndReceivesAtTheSameTime() throws Exception {
        onRanks(world -> {
            int rank = world.rank();
            int size = world.size();
            int following = (rank + 1) % size;
            int previous = (rank + size - 1) % size;
            for (int length : new int[] {0, 3, 300_000}) {
                double[] sent = new double[length];
                Arrays.fill(sent, rank);
                double[] received = new double[length + 2];
                assertThat(world.sendReceive(sent, following, received, previous, 5))
                        .isEqualTo(length);
                assertThat(Arrays.copyOf(received, length))
                        .containsOnly(length == 0 ? new double[0] : new double[] {previous});
                assertThat(received).endsWith(0, 0);
            }
            // Along a line, whose ends have no neighbours.
            int[] ghost = {-1};
            int up = rank + 1 < size ? rank + 1 : Communicator.NOBODY;
            int count = world.sendReceive(new int[] {rank}, up, ghost, rank - 1, 6);
            assertThat(count).isEqualTo(rank == 0 ? 0 : 1);
            assertThat(ghost).containsExactly(rank - 1);
            world.send(new char[] {'a'}, following, 7);
            char[] letter = new char[2];
            assertThat(world.receive(letter, previous, 7)).isOne();
            assertThat(letter).containsExactly('a', '\0');
            world.send(new byte[3], following, 8);
            assertThatThrownBy(() -> world.receive(new int[1], previous, 8))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("3 bytes is no int[]");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> world.send(List.of(1), 0, 1))
                    .withMessageContaining("no array of primitives");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> world.sendReceive(new int[1], 0, new int[1], size, 1));
        });
    }

    @Test
    void bcastCopiesTheRootsBytes() throws Exception {
        onRanks(world -> forEachKindAndLength((kind, length) -> {
            for (int root = 0; root < world.size(); root++) {
                Message message = world.rank() == root ? Message.of(kind, length, root) : Message.blank(kind, length);
                world.bcast(message.buffer, root);
                message.assertUntouchedAround();
                message.assertHolds(length, root);
            }
        }));
    }

    @Test
    void bcastTakesAReadOnlyBufferAtTheRoot() throws Exception {
        onRanks(world -> {
            Message message = world.rank() == 0 ? Message.of(Kind.DIRECT, 64, 3) : Message.blank(Kind.DIRECT, 64);
            world.bcast(world.rank() == 0 ? message.buffer.asReadOnlyBuffer() : message.buffer, 0);
            message.assertHolds(64, 3);
        });
    }

    @Test
    void gatherCollectsAtTheRootInRankOrder() throws Exception {
        onRanks(world -> forEachKindAndLength((kind, length) -> {
            int root = length % world.size();
            Message part = Message.of(kind, length, world.rank());
            Message all = Message.blank(kind, world.rank() == root ? length * world.size() : 0);
            world.gather(part.buffer, all.buffer, root);
            part.assertUntouchedAround();
            part.assertHolds(length, world.rank());
            all.assertUntouchedAround();
            if (world.rank() == root) {
                all.assertHoldsPartsOfAllRanks(length, world.size());
            }
        }));
    }

    @Test
    void scatterHandsOutInRankOrder() throws Exception {
        onRanks(world -> forEachKindAndLength((kind, length) -> {
            int root = length % world.size();
            Message all = Message.blank(kind, world.rank() == root ? length * world.size() : 0);
            world.gather(Message.of(kind, length, world.rank()).buffer, all.buffer, root);
            Message part = Message.blank(kind, length);
            world.scatter(all.buffer.asReadOnlyBuffer(), part.buffer, root);
            part.assertUntouchedAround();
            part.assertHolds(length, world.rank());
            all.assertUntouchedAround();
        }));
    }

    @Test
    void allgatherCollectsEverywhereInRankOrder() throws Exception {
        onRanks(world -> forEachKindAndLength((kind, length) -> {
            Message part = Message.of(kind, length, world.rank());
            Message all = Message.blank(kind, length * world.size());
            world.allgather(part.buffer, all.buffer);
            part.assertUntouchedAround();
            all.assertUntouchedAround();
            all.assertHoldsPartsOfAllRanks(length, world.size());
        }));
    }

    @Test
    void messagesOfAllLengthsGoRoundTheRing() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            forEachKindAndLength((kind, length) -> {
                Message incoming = Message.blank(Kind.DIRECT, length);
                Request receive = world.startReceive(incoming.buffer, left, 7);
                Message outgoing = Message.of(kind, length, world.rank());
                world.send(outgoing.buffer, right, 7);
                assertThat(receive.await()).isEqualTo(length);
                outgoing.assertUntouchedAround();
                outgoing.assertHolds(length, world.rank());
                incoming.assertUntouchedAround();
                incoming.assertHolds(length, left);
            });
        });
    }

    @Test
    void blockingReceiveTakesWhatIsStartedBefore() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            forEachKindAndLength((kind, length) -> {
                Message outgoing = Message.of(Kind.DIRECT, length, world.rank());
                Request send = world.startSend(outgoing.buffer, right, 0);
                Message incoming = Message.blank(kind, length);
                assertThat(world.receive(incoming.buffer, left, 0)).isEqualTo(length);
                assertThat(send.await()).isEqualTo(length);
                outgoing.assertUntouchedAround();
                incoming.assertUntouchedAround();
                incoming.assertHolds(length, left);
            });
        });
    }

    @Test
    void aShorterMessageLeavesTheRestOfTheBuffer() throws Exception {
        onRanks(world -> {
            for (Kind kind : Kind.values()) {
                Message outgoing = Message.of(Kind.DIRECT, 10, 1);
                Request send = world.startSend(outgoing.buffer, world.rank(), 1);
                Message incoming = Message.blank(kind, 100);
                assertThat(world.receive(incoming.buffer, world.rank(), 1)).isEqualTo(10);
                send.await();
                incoming.assertUntouchedAround();
                incoming.assertHolds(10, 1);
                assertThat(incoming.buffer.slice(incoming.buffer.position() + 10, 90))
                        .isEqualTo(Message.blank(kind, 90).buffer);
            }
        });
    }

    @Test
    void messagesOfOneSenderAndTagKeepTheirOrder() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            List<Request> sends = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sends.add(world.startSend(number(i), right, i % 3));
            }
            for (int tag : new int[] {2, 0}) {
                for (int i = tag; i < 100; i += 3) {
                    assertThat(receiveNumber(world, left, tag)).isEqualTo(i);
                }
            }
            for (int i = 1; i < 100; i += 3) {
                assertThat(receiveNumber(world, left, Communicator.ANY_TAG)).isEqualTo(i);
            }
            awaitAll(sends);
        });
    }

    @Test
    void anyTagTakesTheOldestMessage() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            List<Request> sends = new ArrayList<>();
            for (int tag : new int[] {Arguments.MAX_TAG, 0, 9}) {
                sends.add(world.startSend(number(tag), right, tag));
            }
            for (int tag : new int[] {Arguments.MAX_TAG, 0, 9}) {
                assertThat(receiveNumber(world, left, Communicator.ANY_TAG)).isEqualTo(tag);
            }
            awaitAll(sends);
        });
    }

    @Test
    void receivesMatchInTheOrderInWhichTheyWereStarted() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            List<ByteBuffer> targets = new ArrayList<>();
            List<Request> receives = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                targets.add(number(-1));
                receives.add(world.startReceive(targets.get(i), left, i % 2 == 0 ? 4 : Communicator.ANY_TAG));
            }
            List<Request> sends = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                sends.add(world.startSend(number(i), right, 4));
            }
            for (int i = 9; i >= 0; i--) {
                assertThat(receives.get(i).await()).isEqualTo(8);
                assertThat(targets.get(i).getLong(0)).isEqualTo(i);
            }
            awaitAll(sends);
        });
    }

    @Test
    void anAbandonedReceiveTakesNoLaterMessage() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            for (int length : new int[] {8, 3_000_000}) {
                Message abandoned = Message.blank(Kind.DIRECT, length);
                Request given = world.startReceive(abandoned.buffer, left, 4);
                given.abandon();
                world.barrier();
                Request send = world.startSend(Message.of(Kind.DIRECT, length, world.rank()).buffer, right, 4);
                Message incoming = Message.blank(Kind.DIRECT, length);
                assertThat(world.receive(incoming.buffer, left, 4)).isEqualTo(length);
                send.await();
                incoming.assertHolds(length, left);
                assertThat(abandoned.buffer).isEqualTo(Message.blank(Kind.DIRECT, length).buffer);
            }
        });
    }

    @Test
    void anAbandonedSendArrives() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            ByteBuffer target = number(-1);
            Request receive = world.startReceive(target, left, 4);
            world.startSend(number(world.rank()), right, 4).abandon();
            receive.await();
            assertThat(target.getLong(0)).isEqualTo(left);
        });
    }

    @Test
    void manyTransfersMayBeUnderWay() throws Exception {
        onRanks(world -> {
            List<Message> incoming = new ArrayList<>();
            List<Request> receives = new ArrayList<>();
            List<Request> sends = new ArrayList<>();
            IntFunction<Integer> length = i -> i * i * 37 % 100_000;
            for (int i = 0; i < 50; i++) {
                for (int other = 0; other < world.size(); other++) {
                    Message target = Message.blank(Kind.DIRECT, length.apply(i));
                    incoming.add(target);
                    receives.add(world.startReceive(target.buffer, other, i));
                }
            }
            for (int i = 49; i >= 0; i--) {
                for (int other = 0; other < world.size(); other++) {
                    Message source = Message.of(Kind.DIRECT, length.apply(i), world.rank() + i);
                    sends.add(world.startSend(source.buffer, other, i));
                }
            }
            for (int k = 0; k < receives.size(); k++) {
                int i = k / world.size();
                int other = k % world.size();
                assertThat(receives.get(k).await()).isEqualTo(length.apply(i));
                incoming.get(k).assertHolds(length.apply(i), other + i);
                incoming.get(k).assertUntouchedAround();
            }
            awaitAll(sends);
        });
    }

    @Test
    void reportsAMessageThatIsTooLongForAStartedReceive() throws Exception {
        onRanks(world -> {
            int self = world.rank();
            // Open MPI 4.1 writes beyond the limit; of shorter messages it does not say that they are too long.
            int tooLong = 4096;
            ByteBuffer small = ByteBuffer.allocateDirect(tooLong).limit(8);
            for (int length : new int[] {tooLong, 8, tooLong}) {
                Request receive = world.startReceive(small, self, 5);
                Request send = world.startSend(ByteBuffer.allocateDirect(length).putLong(0, length), self, 5);
                if (length == 8) {
                    assertThat(receive.await()).isEqualTo(8);
                    assertThat(small.getLong(0)).isEqualTo(8);
                } else {
                    assertThatThrownBy(receive::await)
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("receive")
                            .hasMessageContaining("8");
                }
                assertThat(send.await()).isEqualTo(length);
            }
        });
    }

    @Test
    void aMessageIsSeenBeforeItIsReceived() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            assertThat(world.hasMessage(left, Communicator.ANY_TAG)).isFalse();
            world.barrier();
            List<Request> sends = new ArrayList<>();
            for (int tag : new int[] {1, 2}) {
                sends.add(world.startSend(number(tag), right, tag));
            }
            for (int tag : new int[] {2, 1, Communicator.ANY_TAG}) {
                awaitMessage(world, left, tag);
            }
            assertThat(world.hasMessage(left, 3)).isFalse();
            assertThat(receiveNumber(world, left, 2)).isEqualTo(2);
            assertThat(world.hasMessage(left, 2)).isFalse();
            awaitMessage(world, left, Communicator.ANY_TAG);
            assertThat(receiveNumber(world, left, Communicator.ANY_TAG)).isEqualTo(1);
            assertThat(world.hasMessage(left, Communicator.ANY_TAG)).isFalse();
            awaitAll(sends);
            world.barrier();
        });
    }

    @Test
    void messagesOfAllLengthsAreSeen() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            for (int length : LENGTHS) {
                Request send = world.startSend(Message.of(Kind.DIRECT, length, world.rank()).buffer, right, 8);
                awaitMessage(world, left, 8);
                Message incoming = Message.blank(Kind.DIRECT, length);
                assertThat(world.receive(incoming.buffer, left, 8)).isEqualTo(length);
                incoming.assertHolds(length, left);
                send.await();
            }
        });
    }

    @Test
    void whatAStartedReceiveTakesIsNotSeen() throws Exception {
        onRanks(world -> {
            ByteBuffer target = number(-1);
            Request receive = world.startReceive(target, world.rank(), 6);
            Request send = world.startSend(number(5), world.rank(), 6);
            receive.await();
            send.await();
            assertThat(target.getLong(0)).isEqualTo(5);
            assertThat(world.hasMessage(world.rank(), 6)).isFalse();
        });
    }

    /** One that was sent may be on its way. */
    private static void awaitMessage(Communicator world, int source, int tag) throws IOException {
        while (!world.hasMessage(source, tag)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aMessageLongerThanTheBufferIsAnError() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            for (int length : new int[] {16, 3 * 1024 * 1024}) {
                for (Kind kind : Kind.values()) {
                    Request send = world.startSend(Message.of(Kind.DIRECT, length, 1).buffer, right, 5);
                    Message small = Message.blank(kind, 8);
                    assertThatThrownBy(() -> world.receive(small.buffer, left, 5))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("receive")
                            .hasMessageContaining("8");
                    small.assertUntouchedAround();
                    send.await();
                    Request next = world.startSend(number(length), right, 5);
                    assertThat(receiveNumber(world, left, 5)).isEqualTo(length);
                    next.await();
                }
            }
        });
    }

    @Test
    void mistakesOfTheCallerAreRefusedBeforeAnythingIsSent() throws Exception {
        onRanks(world -> {
            ByteBuffer heap = ByteBuffer.allocate(8);
            ByteBuffer direct = ByteBuffer.allocateDirect(8);
            for (int wrong : new int[] {-1, world.size(), Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> world.send(heap, wrong, 0))
                        .withMessageContaining("destination " + wrong);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> world.receive(heap, wrong, 0))
                        .withMessageContaining("source " + wrong);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> world.hasMessage(wrong, 0))
                        .withMessageContaining("source " + wrong);
                assertThatIllegalArgumentException().isThrownBy(() -> world.startSend(direct, wrong, 0));
                assertThatIllegalArgumentException().isThrownBy(() -> world.startReceive(direct, wrong, 0));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> world.bcast(heap, wrong))
                        .withMessageContaining("root " + wrong);
                assertThatIllegalArgumentException().isThrownBy(() -> world.gather(heap, heap, wrong));
                assertThatIllegalArgumentException().isThrownBy(() -> world.scatter(heap, heap, wrong));
            }
            int self = world.rank();
            assertThatIllegalArgumentException().isThrownBy(() -> world.send(heap, self, Communicator.ANY_TAG));
            assertThatIllegalArgumentException().isThrownBy(() -> world.send(heap, self, Arguments.MAX_TAG + 1));
            assertThatIllegalArgumentException().isThrownBy(() -> world.hasMessage(self, -2));
            assertThatIllegalArgumentException().isThrownBy(() -> world.startSend(direct, self, -2));
            assertThatIllegalArgumentException().isThrownBy(() -> world.receive(heap, self, -2));
            assertThatIllegalArgumentException().isThrownBy(() -> world.startReceive(direct, self, 32768));
            assertThatIllegalArgumentException().isThrownBy(() -> world.startSend(heap, self, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> world.startReceive(heap, self, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> world.split(-1, 0));
            int another = world.size() == 1 ? 1 : (self + 1) % world.size();
            for (int[] none : new int[][] {{}, {another}, {self, self}, {self, -1}, {self, world.size()}}) {
                assertThatIllegalArgumentException().isThrownBy(() -> world.subset(none));
            }
            ByteBuffer wrongAll = ByteBuffer.allocate(8 * world.size() + 1);
            assertThatIllegalArgumentException().isThrownBy(() -> world.gather(heap, wrongAll, self));
            assertThatIllegalArgumentException().isThrownBy(() -> world.scatter(wrongAll, heap, self));
            assertThatIllegalArgumentException().isThrownBy(() -> world.allgather(heap, wrongAll));
            for (ByteBuffer readOnly : List.of(heap.asReadOnlyBuffer(), direct.asReadOnlyBuffer())) {
                assertThatThrownBy(() -> world.receive(readOnly, self, 0)).isInstanceOf(ReadOnlyBufferException.class);
            }
            assertThatThrownBy(() -> world.startReceive(direct.asReadOnlyBuffer(), self, 0))
                    .isInstanceOf(ReadOnlyBufferException.class);
            assertThat(allreduce(world, Op.SUM, 1)).containsExactly(world.size());
        });
    }

    @Test
    void aDuplicateHasItsOwnMessages() throws Exception {
        onRanks(world -> {
            int right = (world.rank() + 1) % world.size();
            int left = (world.rank() + world.size() - 1) % world.size();
            try (Communicator copy = world.dup()) {
                assertThat(copy.rank()).isEqualTo(world.rank());
                assertThat(copy.size()).isEqualTo(world.size());
                Request onCopy = copy.startSend(number(1), right, 3);
                Request onWorld = world.startSend(number(2), right, 3);
                assertThat(receiveNumber(world, left, Communicator.ANY_TAG)).isEqualTo(2);
                assertThat(receiveNumber(copy, left, Communicator.ANY_TAG)).isEqualTo(1);
                onCopy.await();
                onWorld.await();
                assertThat(allreduce(copy, Op.SUM, 1)).containsExactly(world.size());
            }
        });
    }

    @Test
    void splitOrdersRanksByKey() throws Exception {
        onRanks(world -> {
            int color = world.rank() % 2;
            try (Communicator part = world.split(color, -world.rank())) {
                int members = (world.size() + 1 - color) / 2;
                assertThat(part.size()).isEqualTo(members);
                assertThat(part.rank()).isEqualTo(members - 1 - world.rank() / 2);
                ByteBuffer all = ByteBuffer.allocate(4 * members);
                part.allgather(ByteBuffer.allocate(4).putInt(0, world.rank()), all);
                for (int i = 0; i < members; i++) {
                    assertThat(all.getInt(4 * i)).isEqualTo(color + 2 * (members - 1 - i));
                }
                Request send = part.startSend(number(world.rank()), (part.rank() + 1) % members, 0);
                int left = (part.rank() + members - 1) % members;
                assertThat(receiveNumber(part, left, 0)).isEqualTo(color + 2L * (members - 1 - left));
                send.await();
                part.barrier();
            }
        });
    }

    @Test
    void splitOrdersEqualKeysByRank() throws Exception {
        onRanks(world -> {
            try (Communicator same = world.split(Integer.MAX_VALUE, 42)) {
                assertThat(same.rank()).isEqualTo(world.rank());
                assertThat(same.size()).isEqualTo(world.size());
            }
        });
    }

    @Test
    void aSubsetHasTheGivenOrder() throws Exception {
        onRanks(world -> {
            int[] ranks = IntStream.range(0, world.size())
                    .map(i -> world.size() - 1 - i)
                    .filter(rank -> rank % 2 == world.rank() % 2)
                    .toArray();
            try (Communicator part = world.subset(ranks)) {
                assertThat(part.size()).isEqualTo(ranks.length);
                assertThat(ranks[part.rank()]).isEqualTo(world.rank());
                int[] all = new int[ranks.length];
                part.allgather(new int[] {world.rank()}, all);
                assertThat(all).isEqualTo(ranks);
                int right = (part.rank() + 1) % ranks.length;
                int left = (part.rank() + ranks.length - 1) % ranks.length;
                Request send = part.startSend(number(world.rank()), right, 0);
                assertThat(receiveNumber(part, left, 0)).isEqualTo(ranks[left]);
                send.await();
            }
        });
    }

    /** Each of the sizes 1, 2, 3 and so on, and what is left. */
    @Test
    void subsetsMayHaveDifferentSizes() throws Exception {
        onRanks(world -> {
            int first = 0;
            int length = 1;
            while (first + length <= world.rank()) {
                first += length++;
            }
            int[] ranks = IntStream.range(first, Math.min(first + length, world.size()))
                    .toArray();
            try (Communicator part = world.subset(ranks);
                    Communicator alone = part.subset(new int[] {part.rank()});
                    Communicator all =
                            world.subset(IntStream.range(0, world.size()).toArray())) {
                assertThat(part.rank()).isEqualTo(world.rank() - first);
                assertThat(allreduce(part, Op.SUM, 1)).containsExactly(ranks.length);
                assertThat(allreduce(alone, Op.SUM, 1)).containsExactly(1);
                assertThat(all.rank()).isEqualTo(world.rank());
                assertThat(allreduce(all, Op.SUM, 1)).containsExactly(world.size());
            }
        });
    }

    /** Under Open MPI a communicator of a group is made by messages that have a tag. */
    @Test
    void makingASubsetTakesNoMessage() throws Exception {
        onRanks(world -> {
            int size = world.size();
            int right = (world.rank() + 1) % size;
            int left = (world.rank() + size - 1) % size;
            ByteBuffer target = ByteBuffer.allocateDirect(8);
            Request early = world.startReceive(target, left, Communicator.ANY_TAG);
            Request late = world.startSend(number(world.rank()), left, 0);
            try (Communicator all =
                    world.subset(IntStream.range(0, size).map(i -> size - 1 - i).toArray())) {
                Request send = world.startSend(number(world.rank()), right, 1);
                if (size > 2) {
                    assertThat(early.await()).isEqualTo(8);
                    assertThat(target.getLong(0)).isEqualTo(left);
                    assertThat(receiveNumber(world, right, 0)).isEqualTo(right);
                } else {
                    early.await();
                    receiveNumber(world, right, Communicator.ANY_TAG);
                }
                send.await();
                late.await();
                assertThat(allreduce(all, Op.SUM, 1)).containsExactly(size);
            }
        });
    }

    @Test
    void splitAndDuplicateCanBeNested() throws Exception {
        onRanks(world -> {
            try (Communicator half = world.split(world.rank() % 2, 0);
                    Communicator copy = half.dup();
                    Communicator alone = copy.split(copy.rank(), 0)) {
                assertThat(alone.size()).isEqualTo(1);
                assertThat(allreduce(alone, Op.MAX, world.rank())).containsExactly(world.rank());
                assertThat(allreduce(copy, Op.SUM, 1)).containsExactly(half.size());
                ByteBuffer from = number(world.rank());
                half.bcast(from, half.size() - 1);
                int last = world.rank() % 2 + 2 * (half.size() - 1);
                assertThat(from.getLong(0)).isEqualTo(last);
            }
        });
    }

    @Test
    void communicatorsCanBeMadeAndClosedOverAndOver() throws Exception {
        onRanks(world -> {
            for (int i = 0; i < 200; i++) {
                try (Communicator copy = world.dup();
                        Communicator part = world.split(i % 2 == 0 ? 0 : world.rank(), 0);
                        Communicator alone = copy.subset(new int[] {world.rank()})) {
                    assertThat(allreduce(copy, Op.MAX, i)).containsExactly(i);
                    part.barrier();
                    alone.barrier();
                }
            }
        });
    }

    @Test
    void aClosedCommunicatorRefusesCalls() throws Exception {
        onRanks(world -> {
            Communicator copy = world.dup();
            copy.close();
            copy.close();
            ByteBuffer buffer = ByteBuffer.allocateDirect(8);
            assertThatIllegalStateException().isThrownBy(copy::barrier);
            assertThatIllegalStateException().isThrownBy(() -> copy.allreduce(new long[1], Op.SUM));
            assertThatIllegalStateException().isThrownBy(() -> copy.bcast(buffer, 0));
            assertThatIllegalStateException()
                    .isThrownBy(() -> copy.gather(ByteBuffer.allocate(0), ByteBuffer.allocate(0), 0));
            assertThatIllegalStateException().isThrownBy(() -> copy.send(buffer, 0, 0));
            assertThatIllegalStateException().isThrownBy(() -> copy.hasMessage(0, 0));
            assertThatIllegalStateException().isThrownBy(() -> copy.startSend(buffer, 0, 0));
            assertThatIllegalStateException().isThrownBy(() -> copy.startReceive(buffer, 0, 0));
            assertThatIllegalStateException().isThrownBy(copy::dup);
            assertThatIllegalStateException().isThrownBy(() -> copy.split(0, 0));
            assertThatIllegalStateException().isThrownBy(() -> copy.subset(new int[] {copy.rank()}));
            world.barrier();
        });
    }

    private static ByteBuffer number(long value) {
        return ByteBuffer.allocateDirect(8).putLong(0, value);
    }

    private static long receiveNumber(Communicator world, int source, int tag) throws IOException {
        ByteBuffer target = number(-1);
        assertThat(world.receive(target, source, tag)).isEqualTo(8);
        return target.getLong(0);
    }

    private static void awaitAll(List<Request> requests) throws IOException {
        for (Request request : requests) {
            request.await();
        }
    }

    /** A new directory that rank 0 has made and that all ranks see. */
    private static Path sharedDirectory(Communicator world) throws IOException {
        ByteBuffer name = ByteBuffer.allocate(4096);
        if (world.rank() == 0) {
            name.put(Files.createTempDirectory("drumlin-ranks").toString().getBytes(StandardCharsets.UTF_8))
                    .clear();
        }
        world.bcast(name, 0);
        return Path.of(StandardCharsets.UTF_8.decode(name).toString().trim());
    }

    private static void deleteTree(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    private interface KindAndLength {
        void test(Kind kind, int length) throws IOException;
    }

    private static void forEachKindAndLength(KindAndLength body) throws IOException {
        for (int length : LENGTHS) {
            for (Kind kind : Kind.values()) {
                body.test(kind, length);
            }
        }
    }

    private enum Kind {
        DIRECT {
            @Override
            ByteBuffer allocate(int size) {
                return ByteBuffer.allocateDirect(size);
            }
        },
        HEAP {
            @Override
            ByteBuffer allocate(int size) {
                return ByteBuffer.allocate(size);
            }
        },
        /** A heap buffer that does not begin with its array. */
        HEAP_SLICE {
            @Override
            ByteBuffer allocate(int size) {
                return ByteBuffer.allocate(size + 3).slice(3, size);
            }
        };

        abstract ByteBuffer allocate(int size);
    }

    /** A message in the middle of a buffer. */
    private static final class Message {

        private static final byte BLANK = (byte) 0xA5;

        private final ByteBuffer buffer;
        private final int length;

        private Message(Kind kind, int length) {
            this.length = length;
            buffer = kind.allocate(length + 2 * MARGIN);
            for (int i = 0; i < buffer.capacity(); i++) {
                buffer.put(i, BLANK);
            }
            buffer.position(MARGIN).limit(MARGIN + length);
        }

        static Message blank(Kind kind, int length) {
            return new Message(kind, length);
        }

        static Message of(Kind kind, int length, int seed) {
            Message message = new Message(kind, length);
            message.buffer.put(MARGIN, pattern(length, seed));
            return message;
        }

        /** Bytes of which no two parts and no two seeds look alike. */
        private static byte[] pattern(int length, int seed) {
            byte[] bytes = new byte[length];
            int state = 0x9E3779B9 * (seed + 1) | 1;
            for (int i = 0; i < length; i++) {
                state = state * 1664525 + 1013904223;
                bytes[i] = (byte) (state >>> 24);
            }
            return bytes;
        }

        void assertHolds(int bytes, int seed) {
            assertThat(buffer.slice(MARGIN, bytes).mismatch(ByteBuffer.wrap(pattern(bytes, seed))))
                    .as("first byte that differs from the message of seed %d with %d bytes", seed, bytes)
                    .isEqualTo(-1);
        }

        void assertHoldsPartsOfAllRanks(int bytes, int size) {
            for (int rank = 0; rank < size; rank++) {
                assertThat(buffer.slice(MARGIN + rank * bytes, bytes).mismatch(ByteBuffer.wrap(pattern(bytes, rank))))
                        .as("first byte that differs in the part of rank %d with %d bytes", rank, bytes)
                        .isEqualTo(-1);
            }
        }

        void assertUntouchedAround() {
            assertThat(buffer.position()).isEqualTo(MARGIN);
            assertThat(buffer.limit()).isEqualTo(MARGIN + length);
            for (int i = 0; i < MARGIN; i++) {
                assertThat(buffer.duplicate().clear().get(i)).isEqualTo(BLANK);
                assertThat(buffer.duplicate().clear().get(MARGIN + length + i)).isEqualTo(BLANK);
            }
        }
    }
}
