package io.drumlin.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.gsd.Access;
import io.drumlin.gsd.Chunk;
import io.drumlin.gsd.GsdFile;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A mapped file that became shorter is told at the call that uses its memory, and never later, when the thread may be in the middle of a
 * lock of the JDK. In a JVM of its own.
 */
@Timeout(120)
class MemoryFaultTest {

    private static final int LENGTH = 1 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "off"})
    void isToldAtTheCallThatMeetsIt(String nativeCode, @TempDir Path folder) throws Exception {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .jvmOptions("-Ddrumlin.native=" + nativeCode)
                .run(Program.class, folder.toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        assertThat(outcome.output().lines().filter(line -> line.startsWith("wrong")))
                .isEmpty();
        assertThat(outcome.output()).contains("well");
    }

    /** What the other JVM runs. */
    static final class Program {

        private final Path folder;
        private final ByteBuffer gone;
        private final ByteBuffer own = ByteBuffer.allocateDirect(LENGTH);
        private int sum;

        private Program(Path folder) throws IOException {
            this.folder = folder;
            Path path = folder.resolve("mapped");
            try (FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                gone = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
                channel.truncate(0);
            }
        }

        public static void main(String[] args) throws Exception {
            Program program = new Program(Path.of(args[0]));
            program.ofVariables();
            program.ofFiles();
            program.ofGsd();
            program.ofSion();
            program.ofMessages(new SingleCommunicator());
            ThreadCommunicator.run(1, program::ofMessages);
            ThreadCommunicator.run(2, program::ofBroadcast);
            // The compilers make other code of it than the interpreter.
            for (int i = 0; i < 20_000; i++) {
                program.mustFail("get", () -> {
                    program.sum += program.gone.getInt(8);
                    MemoryFault.throwPending(program.gone);
                });
            }
            System.out.println("well " + program.sum);
        }

        private void ofVariables() throws Exception {
            for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
                ByteBuffer bytes = gone.duplicate().order(order);
                List<Buffer> all = List.of(
                        bytes,
                        bytes.asShortBuffer(),
                        bytes.asCharBuffer(),
                        bytes.asIntBuffer(),
                        bytes.asLongBuffer(),
                        bytes.asFloatBuffer(),
                        bytes.asDoubleBuffer());
                for (Buffer values : all) {
                    ProtectedData data = ProtectedData.of(values);
                    for (ByteBuffer memory : List.of(own, ByteBuffer.allocate(LENGTH))) {
                        mustFail("all out", () -> data.copyOut(0, memory.duplicate()));
                        mustFail("all in", () -> data.copyIn(0, memory.duplicate()));
                        mustFail("some out", () -> data.copyOut(3, memory.slice(0, 2)));
                        mustFail("some in", () -> data.copyIn(3, memory.slice(0, 99)));
                    }
                }
            }
        }

        private void ofFiles() throws Exception {
            for (String name : StorageEngines.names()) {
                StorageEngine engine;
                try {
                    engine = StorageEngines.byName(name);
                } catch (DrumlinException e) {
                    continue;
                }
                try (BlockFile file =
                        engine.open(folder.resolve(name), EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.CREATE))) {
                    file.write(own.duplicate(), 0);
                    mustFail(name + " write", () -> file.write(gone.duplicate(), 0));
                    mustFail(name + " read", () -> file.read(gone.duplicate(), 0));
                    mustFail(name + " started write", () -> file.startWrite(gone, 0)
                            .await());
                    mustFail(name + " started read", () -> file.startRead(gone, 0)
                            .await());
                }
            }
            mustFail("digest", () -> DigestEngine.md5().update(List.of(gone)));
        }

        private void ofGsd() throws Exception {
            Path path = folder.resolve("file.gsd");
            try (GsdFile file = GsdFile.create(path, "test", "none", new Version(1, 0))) {
                file.writeChunk("rows", new double[1 << 12], 1 << 10, 4);
                file.endFrame();
                for (int rows : new int[] {10, 1 << 10}) {
                    mustFail(
                            "gsd doubles",
                            () -> file.writeChunk(
                                    "doubles",
                                    ElementType.DOUBLE,
                                    gone.asDoubleBuffer().slice(0, rows * 4),
                                    rows,
                                    4));
                    mustFail(
                            "gsd bytes",
                            () -> file.writeChunk("bytes", ElementType.UINT8, gone.slice(0, rows * 4), rows, 4));
                }
            }
            try (GsdFile file = GsdFile.open(path, Access.READ)) {
                Chunk chunk = file.findChunk(0, "rows").orElseThrow();
                mustFail("gsd read", () -> chunk.read(gone.duplicate()));
                mustFail(
                        "gsd read of every second", () -> chunk.rows(0, 1024, 2).read(gone.duplicate()));
            }
        }

        private void ofSion() throws Exception {
            Path path = folder.resolve("file.sion");
            SionOptions options = SionOptions.defaults();
            try (SionOutput output = SionFile.create(path, new long[] {LENGTH}, options)) {
                output.writer(0).write(own.duplicate());
            }
            try (SionInput input = SionFile.open(path, options)) {
                mustFail("sion read", () -> input.reader(0).read(gone.slice(0, 100)));
                mustFail("sion large read", () -> input.reader(0).read(gone.duplicate()));
            }
            for (int bytes : new int[] {100, LENGTH}) {
                Path broken = folder.resolve("broken.sion" + bytes);
                try (SionOutput output = SionFile.create(broken, new long[] {LENGTH}, options)) {
                    mustFail("sion write", () -> output.writer(0).write(gone.slice(0, bytes)));
                } catch (IOException e) {
                    // A writer that has failed cannot be closed well.
                }
            }
        }

        private void ofMessages(Communicator comm) throws Exception {
            mustFail("send", () -> comm.send(gone.duplicate(), 0, 1));
            comm.send(own.duplicate(), 0, 2);
            mustFail("receive", () -> comm.receive(gone.duplicate(), 0, 2));
            mustFail("started send", () -> comm.startSend(gone.duplicate(), 0, 3));
            comm.send(own.duplicate(), 0, 4);
            mustFail("started receive", () -> comm.startReceive(gone.duplicate(), 0, 4)
                    .await());
            mustFail("scatter of", () -> comm.scatter(gone.duplicate(), own.duplicate(), 0));
            mustFail("scatter to", () -> comm.scatter(own.duplicate(), gone.duplicate(), 0));
            mustFail("gather of", () -> comm.gather(gone.duplicate(), own.duplicate(), 0));
            mustFail("gather to", () -> comm.gather(own.duplicate(), gone.duplicate(), 0));
            mustFail("allgather of", () -> comm.allgather(gone.duplicate(), own.duplicate()));
            mustFail("allgather to", () -> comm.allgather(own.duplicate(), gone.duplicate()));
        }

        private void ofBroadcast(Communicator comm) throws Exception {
            ByteBuffer memory = comm.rank() == 0 ? own : gone;
            if (comm.rank() == 0) {
                comm.bcast(memory.duplicate(), 0);
            } else {
                mustFail("bcast to", () -> comm.bcast(memory.duplicate(), 0));
            }
        }

        /** A step that uses the memory. */
        @FunctionalInterface
        private interface Step {
            void run() throws Exception;
        }

        private void mustFail(String what, Step step) throws Exception {
            boolean told = false;
            try {
                step.run();
            } catch (IOException | RuntimeException | InternalError e) {
                told = true;
            }
            try {
                MemoryFault.throwPending(gone);
            } catch (InternalError e) {
                System.out.println("wrong: told too late by " + what);
            }
            if (!told) {
                System.out.println("wrong: no exception of " + what);
            }
        }
    }
}
