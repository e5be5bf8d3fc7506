package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.sion.MappedTask;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionIo;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.sion.SionReader;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The SION files that MPI processes write are those of threads; run on ranks by {@link SionFileIT}. */
class SionFileChecks extends SharedFolderChecks {

    private static final int CHUNK = 5000;
    private static final int PARTS = 3;

    private Path path;

    @BeforeEach
    void nameFile() {
        path = folder.resolve("file.sion");
    }

    enum Kind {
        ONE_FILE,
        TWO_FILES,
        LOCAL_COMMUNICATORS,
        COLLECTORS,
        MERGED,
        BUDDY_COPIES,
        MAPPED;

        SionOutput create(Path path, Communicator world, SionOptions with) throws IOException {
            SionOptions options = with.fsBlockSize(512);
            int rank = world.rank();
            return switch (this) {
                case ONE_FILE -> SionFile.create(path, world, CHUNK, options);
                case TWO_FILES -> SionFile.create(path, world, CHUNK, options.files(2));
                case LOCAL_COMMUNICATORS -> {
                    try (Communicator local = world.split(rank % 2, rank)) {
                        yield SionFile.create(path, world, CHUNK, options.localCommunicator(local));
                    }
                }
                case COLLECTORS -> SionFile.create(path, world, CHUNK, options.collective(2));
                case MERGED -> SionFile.create(path, world, CHUNK, options.merge(2));
                case BUDDY_COPIES ->
                    SionFile.create(path, world, CHUNK, options.files(2).buddies(1));
                case MAPPED -> {
                    List<MappedTask> task = List.of(new MappedTask(rank, rank % 2, rank / 2, CHUNK));
                    yield SionFile.createMapped(path, world, task, options.files(2));
                }
            };
        }

        void write(Path path, Communicator world) throws IOException {
            write(path, world, SionOptions.defaults());
        }

        void write(Path path, Communicator world, SionOptions options) throws IOException {
            boolean together = this == COLLECTORS || this == MERGED || this == BUDDY_COPIES;
            byte[] data = new byte[4000];
            try (SionOutput output = create(path, world, options)) {
                for (int part = 0; part < PARTS; part++) {
                    new Random(10L * world.rank() + part).nextBytes(data);
                    ByteBuffer bytes = ByteBuffer.wrap(data, 0, 3000 + 100 * world.rank());
                    if (together) {
                        output.writeCollective(bytes);
                    } else {
                        output.writer().write(bytes);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theFilesAreThoseOfThreads(Kind kind) throws IOException {
        kind.write(path, world);
        if (world.rank() == 0) {
            Map<String, byte[]> ours = contents();
            ThreadCommunicator.run(world.size(), threads -> kind.write(path, threads));
            Map<String, byte[]> theirs = contents();
            assertThat(ours.keySet()).isEqualTo(theirs.keySet());
            ours.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(theirs.get(name)));
        }
        world.barrier();
        if (kind != Kind.MERGED) {
            try (SionInput input = SionFile.open(path, world, SionOptions.defaults())) {
                ByteBuffer read = ByteBuffer.allocate(PARTS * (3000 + 100 * world.rank()));
                assertThat(input.readCollective(read)).isEqualTo(read.capacity());
                byte[] first = new byte[4000];
                new Random(10L * world.rank()).nextBytes(first);
                assertThat(read.flip().limit(3000)).isEqualTo(ByteBuffer.wrap(first, 0, 3000));
            }
        }
    }

    /** Chunks of both kinds of writers, and of several blocks: each writer goes on in the next one. */
    @ParameterizedTest
    @EnumSource
    void theFilesOfMpiIoAreThoseOfTheStorageEngine(Kind kind) throws IOException {
        kind.write(path, world);
        Map<String, byte[]> direct = allContents();
        FaultyEngine engine = new FaultyEngine(StorageEngines.best());
        SionOptions options =
                SionOptions.defaults().storage(engine).io(SionIo.MPI_IO).hint("striping_unit", "65536");
        kind.write(path, world, options.hint("romio_ds_write", "disable"));
        Map<String, byte[]> ours = allContents();
        assertThat(ours.keySet()).isEqualTo(direct.keySet());
        ours.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(direct.get(name)));
        boolean hasMetadata = world.rank() == 0 || kind != Kind.MAPPED && world.rank() < 3;
        assertThat(engine.count(Operation.WRITE) == 0 || hasMetadata).isTrue();
        if (kind != Kind.MERGED) {
            readBack(options, engine);
        }
    }

    /** Blocks and positions in them, forwards and backwards. */
    private void readBack(SionOptions options, FaultyEngine engine) throws IOException {
        int part = 3000 + 100 * world.rank();
        try (SionInput input = SionFile.open(path, world, options)) {
            int reads = engine.count(Operation.READ);
            SionReader reader = input.reader();
            assertThat(reader.blocks()).isEqualTo(PARTS);
            for (int block : new int[] {2, 0, 1}) {
                reader.seek(block, 50);
                ByteBuffer read = ByteBuffer.allocate(part - 50);
                reader.read(read);
                byte[] written = new byte[4000];
                new Random(10L * world.rank() + block).nextBytes(written);
                assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(written, 50, part - 50));
            }
            assertThat(engine.count(Operation.READ)).isEqualTo(reads);
        }
    }

    private Map<String, byte[]> allContents() throws IOException {
        world.barrier();
        Map<String, byte[]> contents = contents();
        world.barrier();
        return contents;
    }

    private Map<String, byte[]> contents() throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return contents;
    }

    @Test
    void whatOneProcessRefusesFailsOnAll() {
        assertThatThrownBy(() -> SionFile.create(path, world, world.rank() == 1 ? -1 : 5, SionOptions.defaults()))
                .isInstanceOf(IOException.class);
    }

    /** FTI's mode SIONlib. */
    @Test
    void aCheckpointInASionFileIsRecovered() throws IOException {
        Path config = folder.resolve("config.fti");
        if (world.rank() == 0) {
            Files.writeString(
                    config,
                    """
                    [basic]
                    node_size = 1
                    ckpt_dir = %1$s/Local
                    glbl_dir = %1$s/Global
                    meta_dir = %1$s/Meta
                    ckpt_io = 4
                    verbosity = 3
                    [restart]
                    failure = 0
                    [advanced]
                    block_size = 1024
                    local_test = 1
                    """
                            .formatted(folder));
        }
        world.barrier();
        int[] values = new Random(world.rank()).ints(100_000L * world.rank()).toArray();
        try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
            checkpoints.protect(0, values);
            checkpoints.checkpoint(4, Level.L4);
        }
        if (world.rank() == 0) {
            delete(folder.resolve("Local"));
        }
        world.barrier();
        try (Checkpoints checkpoints = Checkpoints.open(config, world)) {
            assertThat(checkpoints.lastLevel()).contains(Level.L4);
            int[] recovered = new int[values.length];
            checkpoints.protect(0, recovered);
            checkpoints.recover();
            assertThat(recovered).isEqualTo(values);
        }
    }
}
