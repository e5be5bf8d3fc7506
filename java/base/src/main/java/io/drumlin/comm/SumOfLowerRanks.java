package io.drumlin.comm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** {@link Communicator#exscan} with messages. */
final class SumOfLowerRanks {

    private SumOfLowerRanks() {}

    static long of(Communicator comm, long value) throws IOException {
        ByteBuffer sent = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        ByteBuffer received = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
        long lower = 0;
        for (int distance = 1; distance < comm.size(); distance *= 2) {
            // At this point the sum covers the ranks up to distance - 1 below this one.
            Communicator.Request send = null;
            if (comm.rank() + distance < comm.size()) {
                sent.putLong(0, lower + value);
                send = comm.startSend(sent, comm.rank() + distance, Communicator.EXSCAN_TAG);
            }
            if (comm.rank() >= distance) {
                comm.startReceive(received, comm.rank() - distance, Communicator.EXSCAN_TAG)
                        .await();
                lower += received.getLong(0);
            }
            if (send != null) {
                send.await();
            }
        }
        return lower;
    }
}
