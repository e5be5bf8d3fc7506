package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.files.FileReplacement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loops of all engines over calls of the system that never get on. */
@Timeout(60)
class SystemFaultTest {

    @TempDir
    Path folder;

    @Test
    void writesOfNothingEnd() throws Exception {
        String output = under("write path=-data from=1 short=0");
        for (String engine : StorageEngines.names()) {
            if (output.contains(engine + " is used")) {
                assertThat(output)
                        .containsPattern(engine + " write: .*failed")
                        .containsPattern(engine + " started write: .*failed");
            }
        }
        assertThat(output).containsPattern("nio size 10000: .*failed").containsPattern("nio allocate: .*failed");
    }

    @Test
    void readsOfNothingAreAnEndOfTheFile() throws Exception {
        String output = under("read path=-data from=1 short=0");
        for (String engine : StorageEngines.names()) {
            if (output.contains(engine + " is used")) {
                assertThat(output).contains(engine + " read: 0", engine + " started read: 0");
            }
        }
    }

    /** The JDK makes its own calls again without end. */
    @Test
    void interruptionsWithoutEndAreTold() throws Exception {
        String output = under("write path=-data from=1 error=EINTR; read path=-data from=1 error=EINTR;"
                + "sync path=-data from=1 error=EINTR");
        for (String engine : new String[] {"native", "libc"}) {
            if (output.contains(engine + " is used")) {
                for (String call : new String[] {"write", "started write", "read", "started read", "sync"}) {
                    assertThat(output).containsPattern(engine + " " + call + ": .*EINTR");
                }
            }
        }
    }

    /** What it leads to would be left behind as it was. */
    @Test
    void aLinkThatCannotBeSeenIsNotReplaced() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        for (String rules : new String[] {"stat path=elsewhere", "stat path=/link from=1 error=ESTALE"}) {
            Mpirun.Outcome outcome =
                    Mpirun.withoutLauncher().faults(rules).run(Replacement.class, link.toString(), rules);
            assertThat(link).as(outcome.output()).isSymbolicLink();
            assertThat(file).hasContent("stat path=elsewhere");
        }
    }

    /** What the other JVM runs. */
    static final class Replacement {

        private Replacement() {}

        public static void main(String[] args) throws IOException {
            FileReplacement.replace(new NioEngine(), Path.of(args[0]), StandardCharsets.UTF_8.encode(args[1]), ".new");
        }
    }

    private String under(String rules) throws Exception {
        Mpirun job = Mpirun.withoutLauncher().faults(rules);
        String engines = rules.contains("EINTR") ? "native libc" : "native libc nio";
        Mpirun.Outcome outcome = job.run(Transfers.class, folder.toString(), engines);
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(0);
        return outcome.output();
    }

    /** What the other JVM runs: one line for each call. */
    static final class Transfers {

        private Transfers() {}

        public static void main(String[] args) throws IOException {
            for (String name : args[1].split(" ")) {
                try (BlockFile file = file(name, Path.of(args[0], name + "-data"))) {
                    System.out.println(name + " is used");
                    ByteBuffer memory = ByteBuffer.allocateDirect(8192);
                    say(name + " write", () -> wrote(file, memory));
                    say(name + " started write", () -> {
                        file.startWrite(memory, 0).await();
                        return 0;
                    });
                    say(name + " size 10000", () -> {
                        file.truncate(10000);
                        return 0;
                    });
                    say(name + " allocate", () -> {
                        file.allocate(20000);
                        return 0;
                    });
                    say(name + " read", () -> file.read(memory, 0));
                    say(name + " started read", () -> file.startRead(memory, 0).await());
                    say(name + " sync", () -> {
                        file.sync();
                        return 0;
                    });
                } catch (IllegalStateException | IOException e) {
                    System.out.println(name + " is not there: " + e.getMessage());
                }
            }
        }

        private static int wrote(BlockFile file, ByteBuffer memory) throws IOException {
            file.write(memory, 0);
            return memory.remaining();
        }

        private static BlockFile file(String engine, Path path) throws IOException {
            return StorageEngines.byName(engine).open(path, EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.CREATE));
        }

        private static void say(String call, Step step) {
            try {
                System.out.println(call + ": " + step.run());
            } catch (IOException e) {
                System.out.println(call + ": " + e.getMessage());
            }
        }

        private interface Step {
            int run() throws IOException;
        }
    }
}
