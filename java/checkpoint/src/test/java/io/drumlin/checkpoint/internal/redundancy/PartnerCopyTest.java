package io.drumlin.checkpoint.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.FailingSends;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartnerCopyTest {

    private static final int TAG = 2;

    @TempDir
    Path folder;

    @Test
    void nothingComesIntoTheMemoryOfATransferThatFailed() throws IOException {
        Communicator world = new SingleCommunicator();
        NioEngine storage = new NioEngine();
        try (SlabPool slabs = new SlabPool(storage, 4, SlabPool.SLAB_BYTES)) {
            PartnerCopy copy = new PartnerCopy(new Group(0, 0, FailingSends.of(world)), storage, slabs);
            var outgoing = new PartnerCopy.Outgoing(0, new MemoryByteSource(ByteBuffer.allocate(10)));
            var incoming = new PartnerCopy.Incoming(0, 10, folder.resolve("copy"));
            assertThatThrownBy(() -> copy.transfer(Optional.of(outgoing), Optional.of(incoming)))
                    .hasMessage("no sends here");
        }
        assertThat(FailingSends.anyReceiveWaits(world, TAG)).isFalse();
    }
}
