package io.drumlin.checkpoint.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.storage.internal.NativeEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of classes that are loaded ahead is made by hand, and must not become another than that of those that are needed. */
class PreloadTest {

    /** Of a hundred and fifty; some depend on the processor and the file system. */
    private static final int FEW = 15;

    @Test
    void namesClassesThatAreThere() throws Exception {
        List<String> names = names();
        assertThat(names).isSorted().doesNotHaveDuplicates();
        for (String name : names) {
            assertThat(Class.forName(name, false, getClass().getClassLoader())).isNotNull();
        }
    }

    @Tag("native")
    @Test
    void namesThoseOfAFirstCheckpoint(@TempDir Path directory) throws Exception {
        Assumptions.assumeTrue(NativeEngine.unavailabilityCause() == null, "there is no native engine");
        Path log = directory.resolve("classes.log");
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        ProcessBuilder program =
                Mpirun.oneJvm(FirstCheckpoint.class, run.config().toString()).redirectErrorStream(true);
        program.environment().put("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log);
        Process process = program.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();

        List<String> ahead = new ArrayList<>();
        Set<String> later = new TreeSet<>();
        boolean begun = false;
        for (String line : Files.readAllLines(log)) {
            String name = line.replaceFirst("^\\[.*?\\] *(\\[.*?\\])* *", "").replaceFirst(" .*", "");
            begun |= name.equals(Begun.class.getName());
            if (name.startsWith("io.drumlin.") && !name.contains("Lambda") && !name.contains("Test")) {
                (begun ? later : ahead).add(name);
            }
        }
        assertThat(ahead).containsAll(names());
        assertThat(later)
                .as("loaded by a first checkpoint, not in " + Preload.NAMES)
                .hasSizeLessThan(FEW);
    }

    private static List<String> names() throws IOException {
        try (InputStream names = Preload.class.getResourceAsStream(Preload.NAMES)) {
            assertThat(names).isNotNull();
            return new String(names.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        }
    }

    /** Its loading says in the log that the others are there. */
    static final class Begun {

        private Begun() {}

        static void now() {}
    }

    /** What the other JVM runs. */
    static final class FirstCheckpoint {

        private FirstCheckpoint() {}

        public static void main(String[] arguments) throws IOException {
            new Preload().run();
            Begun.now();
            try (Checkpoints checkpoints = Checkpoints.open(Path.of(arguments[0]), new SingleCommunicator())) {
                checkpoints.protect(0, new double[1 << 16]);
                checkpoints.checkpoint(1, Level.L1);
                checkpoints.complete();
            }
        }
    }
}
