package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Mpirun;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.storage.internal.MemoryCopy;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory that goes away while it is used: an Arena that was closed, a mapped file that became shorter. In a JVM of its own. */
@Timeout(120)
class ForeignMemoryTest {

    private static final int LENGTH = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void isAnExceptionAndNotTheEndOfTheProcess() throws Exception {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher().run(Misuse.class, folder.toString());
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        assertThat(outcome.output().lines().filter(line -> line.startsWith("wrong: ")))
                .isEmpty();
        assertThat(outcome.output()).contains("engine nio", "shorter file: ", "well");
        if (Runtime.version().feature() >= 22) {
            assertThat(outcome.output()).contains("closed arena: ");
        }
    }

    /** What the other JVM runs. */
    static final class Misuse {

        private final Path folder;

        private Misuse(Path folder) {
            this.folder = folder;
        }

        public static void main(String[] args) throws Exception {
            Misuse misuse = new Misuse(Path.of(args[0]));
            for (String name : StorageEngines.names()) {
                try {
                    misuse.ofEngine(StorageEngines.byName(name));
                } catch (DrumlinException e) {
                    System.out.println(name + " is not there");
                }
            }
            misuse.ofCopies();
            System.out.println("well");
        }

        private void ofEngine(StorageEngine engine) throws Exception {
            System.out.println("engine " + engine.name());
            Path path = folder.resolve(engine.name());
            try (BlockFile file = engine.open(path, EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.CREATE))) {
                file.write(ByteBuffer.allocate(LENGTH), 0);
                for (Memory memory : memories(path)) {
                    refused(memory, "write", () -> file.write(memory.gone(), 0));
                    refused(memory, "read", () -> file.read(memory.gone(), 0));
                    refused(memory, "started write", () -> file.startWrite(memory.gone(), 0)
                            .await());
                    refused(memory, "started read", () -> file.startRead(memory.gone(), 0)
                            .await());
                }
                for (Memory memory : memories(path)) {
                    ByteBuffer there = memory.buffer.duplicate();
                    there.putInt(8, 77);
                    file.startWrite(there, 0).await();
                    ByteBuffer back = ByteBuffer.allocate(LENGTH);
                    file.startRead(there, 0).await();
                    file.read(back, 0);
                    if (back.getInt(8) != 77 || there.getInt(8) != 77) {
                        System.out.println("wrong: bytes of " + memory.name);
                    }
                    memory.gone();
                }
            }
        }

        private void ofCopies() throws Exception {
            ByteBuffer own = ByteBuffer.allocateDirect(LENGTH);
            for (Memory memory : memories(folder.resolve("copies"))) {
                ByteBuffer gone = memory.gone();
                refused(memory, "copy out", () -> {
                    if (!MemoryCopy.copiedOut(gone, 1, 0, own.duplicate())) {
                        own.duplicate().put(gone.duplicate());
                    }
                });
                refused(memory, "copy out of doubles", () -> {
                    if (!MemoryCopy.copiedOut(gone.asDoubleBuffer(), 8, 0, own.duplicate())) {
                        own.asDoubleBuffer().put(gone.asDoubleBuffer());
                    }
                });
                refused(memory, "copy in", () -> {
                    if (!MemoryCopy.copiedIn(own.duplicate(), gone.slice(0, LENGTH), 1, 0)) {
                        gone.duplicate().put(own.duplicate());
                    }
                });
                refused(memory, "copy from", () -> {
                    if (!MemoryCopy.copiedIn(gone.duplicate(), own, 1, 0)) {
                        own.duplicate().put(gone.duplicate());
                    }
                });
                refused(memory, "digest", () -> DigestEngine.md5().update(Collections.singletonList(gone)));
            }
        }

        private static void refused(Memory memory, String what, Step step) throws Exception {
            try {
                step.run();
                System.out.println("wrong: no exception of " + memory.name + ", " + what);
            } catch (IOException | RuntimeException | InternalError e) {
                System.out.println(memory.name + ": " + what + ": " + e);
            }
        }

        private List<Memory> memories(Path path) throws Exception {
            Memory mapped = mapped(path.resolveSibling(path.getFileName() + "-mapped"));
            return Runtime.version().feature() < 22 ? List.of(mapped) : List.of(mapped, arena());
        }

        private static Memory mapped(Path path) throws IOException {
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
            ByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
            return new Memory("shorter file", memory, () -> channel.truncate(0));
        }

        /** Newer than the release this is compiled for. */
        private static Memory arena() throws Exception {
            Class<?> type = Class.forName("java.lang.foreign.Arena");
            Object arena = type.getMethod("ofShared").invoke(null);
            Object segment = type.getMethod("allocate", long.class, long.class).invoke(arena, (long) LENGTH, 4096L);
            Method asByteBuffer =
                    Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
            Method close = type.getMethod("close");
            return new Memory("closed arena", (ByteBuffer) asByteBuffer.invoke(segment), () -> {
                if (Boolean.TRUE.equals(arenaIsAlive(segment))) {
                    close.invoke(arena);
                }
            });
        }

        private static Object arenaIsAlive(Object segment) throws Exception {
            Object scope = Class.forName("java.lang.foreign.MemorySegment")
                    .getMethod("scope")
                    .invoke(segment);
            return Class.forName("java.lang.foreign.MemorySegment$Scope")
                    .getMethod("isAlive")
                    .invoke(scope);
        }

        private record Memory(String name, ByteBuffer buffer, Step end) {
            ByteBuffer gone() throws Exception {
                end.run();
                return buffer;
            }
        }

        private interface Step {
            void run() throws Exception;
        }
    }
}
