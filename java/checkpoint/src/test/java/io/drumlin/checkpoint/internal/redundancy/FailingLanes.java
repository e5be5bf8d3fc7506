package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.List;

/** Fail with one update and go on after it. Not thread-safe. */
final class FailingLanes implements Md5Lanes {

    static final String MESSAGE = "no hashing here";

    private final Md5Lanes real = DigestEngine.md5();
    private int left;

    /** @param nth 1 for the first update */
    FailingLanes(int nth) {
        left = nth;
    }

    @Override
    public void reset(int lane) {
        real.reset(lane);
    }

    @Override
    public void update(List<? extends ByteBuffer> pieces) {
        if (--left == 0) {
            throw new IllegalArgumentException(MESSAGE);
        }
        real.update(pieces);
    }

    @Override
    public byte[] digest(int lane) {
        return real.digest(lane);
    }

    @Override
    public void close() {
        real.close();
    }
}
