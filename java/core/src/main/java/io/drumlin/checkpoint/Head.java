package io.drumlin.checkpoint;

import io.drumlin.checkpoint.HeadLink.Task;
import java.io.IOException;

/** What the head of a node does while the application of the run works. */
final class Head {

    private final HeadLink link;

    Head(HeadLink link) {
        this.link = link;
    }

    /**
     * Carries out orders until the application leaves. Collective among the heads.
     *
     * @throws IOException the other ranks cannot be reached
     */
    void serve() throws IOException {
        while (link.orders().stream().noneMatch(order -> order.task() == Task.END)) {
            throw new IllegalStateException("an order that is not in this version");
        }
    }
}
