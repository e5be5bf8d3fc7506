package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.CommunicatorContract;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.RankBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

/** The contract over native MPI; run on ranks by {@link NativeMpiIT}. */
class NativeMpiChecks extends CommunicatorContract {

    @Override
    protected void onRanks(RankBody<Exception> body) throws Exception {
        try (NativeMpi world = NativeMpi.world()) {
            body.run(world);
        }
    }

    @Test
    void theWorldIsTheLaunchers() throws IOException {
        try (NativeMpi world = NativeMpi.world()) {
            String prefix = System.getenv("PMI_RANK") != null ? "PMI_" : "OMPI_COMM_WORLD_";
            assertThat(world.rank()).isEqualTo(Integer.parseInt(System.getenv(prefix + "RANK")));
            assertThat(world.size()).isEqualTo(Integer.parseInt(System.getenv(prefix + "SIZE")));
        }
    }

    @Test
    void theWorldCanBeOpenedTwiceAndAgain() throws IOException {
        try (NativeMpi first = NativeMpi.world();
                NativeMpi second = NativeMpi.world()) {
            ByteBuffer one = ByteBuffer.allocateDirect(1).put(0, (byte) 1);
            ByteBuffer two = ByteBuffer.allocateDirect(1).put(0, (byte) 2);
            ByteBuffer target = ByteBuffer.allocate(1);
            Communicator.Request onFirst = first.startSend(one, first.rank(), 0);
            Communicator.Request onSecond = second.startSend(two, second.rank(), 0);
            second.receive(target, second.rank(), 0);
            assertThat(target.get(0)).isEqualTo((byte) 2);
            first.receive(target, first.rank(), 0);
            assertThat(target.get(0)).isEqualTo((byte) 1);
            onFirst.await();
            onSecond.await();
        }
        for (int i = 0; i < 5; i++) {
            try (Communicator again = Communicators.world()) {
                assertThat(again).isInstanceOf(NativeMpi.class);
                again.barrier();
            }
        }
    }

    @Test
    void aHandleFromElsewhereIsDuplicated() throws IOException {
        try (NativeMpi world = NativeMpi.world();
                NativeMpi copy = NativeMpi.of(world.nativeHandle().getAsLong())) {
            assertThat(copy.nativeHandle()).isNotEqualTo(world.nativeHandle());
            assertThat(copy.rank()).isEqualTo(world.rank());
            copy.barrier();
        }
    }

    @Test
    void mappedFilesAreSentAndReceived() throws IOException {
        Path path = Files.createTempFile("message", "");
        try (NativeMpi world = NativeMpi.world();
                FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer message = file.map(FileChannel.MapMode.READ_WRITE, 0, 8).putLong(0, 42);
            ByteBuffer target = file.map(FileChannel.MapMode.READ_WRITE, 4096, 16);
            Communicator.Request receive = world.startReceive(target.position(8), world.rank(), 0);
            world.startSend(message, world.rank(), 0).await();
            assertThat(receive.await()).isEqualTo(8);
            assertThat(target.getLong(8)).isEqualTo(42);
            Communicator.Request send = world.startSend(message.putLong(0, 43), world.rank(), 0);
            world.receive(target.position(0), world.rank(), 0);
            send.await();
            assertThat(target.getLong(0)).isEqualTo(43);
        } finally {
            Files.delete(path);
        }
    }

    @Test
    void aRequestIsAwaitedOnce() throws IOException {
        try (NativeMpi world = NativeMpi.world()) {
            Communicator.Request send = world.startSend(ByteBuffer.allocateDirect(1), world.rank(), 0);
            world.receive(ByteBuffer.allocate(1), world.rank(), 0);
            send.await();
            assertThatIllegalStateException().isThrownBy(send::await);
        }
    }
}
