package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.FailingSends;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MessagesTest {

    private static final int TAG = 3;

    @Test
    void nothingComesIntoAReceiveWhoseSendFailed() throws IOException {
        Communicator world = new SingleCommunicator();
        Communicator.Request arriving = world.startReceive(ByteBuffer.allocateDirect(1), 0, TAG);
        assertThatThrownBy(() -> Messages.send(FailingSends.of(world), ByteBuffer.allocateDirect(1), 0, TAG, arriving))
                .hasMessage("no sends here");
        assertThat(FailingSends.anyReceiveWaits(world, TAG)).isFalse();
    }
}
