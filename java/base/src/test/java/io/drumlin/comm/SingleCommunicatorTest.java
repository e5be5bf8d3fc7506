package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SingleCommunicatorTest extends CommunicatorContract {

    @Override
    protected void onRanks(RankBody<Exception> body) throws Exception {
        body.run(new SingleCommunicator());
    }

    @Test
    void aReceiveThatWouldWaitForeverIsAnError() throws IOException {
        SingleCommunicator world = new SingleCommunicator();
        assertThatThrownBy(() -> world.receive(ByteBuffer.allocate(1), 0, 0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nobody can send");
        world.send(ByteBuffer.wrap(new byte[] {9}), 0, 0);
        ByteBuffer target = ByteBuffer.allocate(1);
        world.receive(target, 0, 0);
        assertThat(target.get(0)).isEqualTo((byte) 9);
    }

    @Test
    void abortThrows() {
        assertThatThrownBy(() -> new SingleCommunicator().abort(3))
                .isInstanceOfSatisfying(
                        JobAbortedException.class, e -> assertThat(e.code()).isEqualTo(3));
    }
}
