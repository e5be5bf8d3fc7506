package io.drumlin.mpi;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import java.nio.ByteBuffer;

/** Programs that the integration tests run under mpirun. */
final class Programs {

    private Programs() {}

    /** Says who it is. */
    static final class Hello {
        private Hello() {}

        public static void main(String[] args) throws Exception {
            Communicators.run(world -> System.out.println("hello from rank " + world.rank() + " of " + world.size()
                    + " by " + world.getClass().getSimpleName()));
        }
    }

    /** Says which MPI it has, and in which place of the job. */
    static final class Library {
        private Library() {}

        public static void main(String[] args) throws Exception {
            Communicators.run(world ->
                    System.out.println("rank " + world.rank() + " of " + world.size() + " on " + NativeMpi.library()));
        }
    }

    /** One rank throws while the others wait for it. */
    static final class OneRankThrows {
        private OneRankThrows() {}

        public static void main(String[] args) throws Exception {
            Communicators.run(world -> {
                if (world.rank() == 1) {
                    throw new IllegalStateException("boom");
                }
                world.barrier();
            });
        }
    }

    /** One rank aborts with a status of its own while the others wait for it. */
    static final class OneRankAborts {
        private OneRankAborts() {}

        public static void main(String[] args) throws Exception {
            Communicators.run(world -> {
                if (world.rank() == 1) {
                    world.abort(42);
                }
                world.receive(ByteBuffer.allocate(1), 1, 0);
            });
        }
    }

    /** A thread of one rank dies, and the main thread of every rank waits. */
    static final class UncaughtException {
        private UncaughtException() {}

        public static void main(String[] args) throws Exception {
            NativeMpi.abortOnUncaughtException();
            try (Communicator world = Communicators.world()) {
                if (world.rank() == 1) {
                    new Thread(() -> {
                                throw new IllegalStateException("nobody catches this");
                            })
                            .start();
                }
                Thread.currentThread().join();
            }
        }
    }

    /** Communicators are made and closed in cycles before the one end. */
    static final class Cycles {
        private Cycles() {}

        public static void main(String[] args) throws Exception {
            for (int i = 0; i < 3; i++) {
                try (Communicator world = Communicators.world();
                        Communicator copy = Communicators.of(world)) {
                    long[] sum = {1};
                    copy.allreduce(sum, Communicator.Op.SUM);
                    System.out.println("cycle " + i + " sum " + sum[0]);
                }
            }
            Communicators.finish();
            Communicators.finish();
        }
    }

    /** Joins MPI that mpi.jar has initialised. No null check may fail here. */
    static final class JoinsMpiOfTheProgram {
        private JoinsMpiOfTheProgram() {}

        public static void main(String[] args) throws Exception {
            MpiJar.init();
            try (Communicator world = Communicators.of(MpiJar.world())) {
                world.barrier();
                System.out.println("joined");
            }
            Communicators.finish();
            MpiJar.finish();
        }
    }
}
