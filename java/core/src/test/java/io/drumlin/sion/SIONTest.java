package io.drumlin.sion;

import static io.drumlin.sion.SION.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The calls of C SIONlib with what they return. */
class SIONTest {

    /** Where the data of two tasks begin with blocks of 512 bytes. */
    private static final long START = 1536;

    @TempDir
    private Path folder;

    private String name() {
        return folder.resolve("calls.sion").toString();
    }

    @Test
    void serial() {
        int sid = sion_open(
                name(), "bw", new int[] {2}, new int[] {1}, new long[][] {{100, 200}}, new int[] {512}, new int[][] {
                    {5, 6}
                });
        assertThat(sid).isNotNegative();
        assertThat(sion_fwrite(ByteBuffer.allocate(400), 4, 100, sid)).isEqualTo(100);
        assertThat(sion_fwrite(ByteBuffer.allocate(600), 1, 600, sid)).isZero();
        assertThat(sion_fwrite(ByteBuffer.allocate(200), 1, 200, sid)).isEqualTo(200);
        assertThat(sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS)).isEqualTo(SION_SUCCESS);
        assertThat(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_ensure_free_space(sid, 513)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_fwrite(ByteBuffer.wrap(new byte[] {7}), 1, 1, sid)).isEqualTo(1);
        assertThat(sion_get_bytes_written(sid)).isEqualTo(1);
        assertThat(sion_get_position(sid)).isEqualTo(START + 512 + 1);
        assertThat(sion_get_file_endianness(sid)).isEqualTo(sion_get_endianness());
        assertThat(sion_get_number_of_files(sid)).isEqualTo(1);
        assertThat(sion_close(sid)).isEqualTo(SION_SUCCESS);
        assertThat(sion_close(sid)).isEqualTo(SION_NOT_SUCCESS);

        int[] ntasks = new int[1];
        int[][] ranks = new int[1][];
        long[][] chunks = new long[1][];
        int[] nfiles = new int[1];
        int in = sion_open(name(), "br", ntasks, nfiles, chunks, new int[1], ranks);
        assertThat(ntasks[0]).isEqualTo(2);
        assertThat(ranks[0]).containsExactly(5, 6);
        assertThat(chunks[0]).containsExactly(512, 512);
        assertThat(sion_bytes_avail_in_block(in)).isEqualTo(400);
        assertThat(sion_fread(ByteBuffer.allocate(500), 1, 401, in)).isZero();
        assertThat(sion_fread(ByteBuffer.allocate(400), 1, 400, in)).isEqualTo(400);
        assertThat(sion_bytes_avail_in_chunk(in)).isZero();
        assertThat(sion_seek(in, SION_CURRENT_RANK, SION_CURRENT_BLK, SION_CURRENT_POS))
                .isEqualTo(SION_SUCCESS);
        assertThat(sion_bytes_avail_in_chunk(in)).isEqualTo(200);
        assertThat(sion_seek(in, 0, 0, 400)).isEqualTo(SION_SUCCESS);
        // The next block has 200 bytes: C SIONlib would give bytes behind its end.
        assertThat(sion_fread(ByteBuffer.allocate(300), 1, 300, in)).isZero();
        assertThat(sion_feof(in)).isZero();
        assertThat(sion_seek(in, SION_CURRENT_RANK, SION_ABSOLUTE_POS, 600)).isEqualTo(SION_SUCCESS);
        assertThat(sion_feof(in)).isEqualTo(1);
        assertThat(sion_fread(ByteBuffer.allocate(1), 1, 1, in)).isZero();
        int[] block = new int[1];
        long[] position = new long[1];
        int[] blocks = new int[1];
        long[][] sizes = new long[1][];
        assertThat(sion_get_current_location(in, block, position, blocks, sizes))
                .isEqualTo(SION_SUCCESS);
        assertThat(block[0]).isEqualTo(1);
        assertThat(position[0]).isEqualTo(200);
        assertThat(blocks[0]).isEqualTo(2);
        assertThat(sizes[0]).containsExactly(400, 200);
        assertThat(sion_get_position(in)).isEqualTo(START + 1024 + 200);
        assertThat(sion_seek(in, SION_CURRENT_RANK, SION_ABSOLUTE_POS, 601)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_seek(in, 1, 0, 0)).isEqualTo(SION_SUCCESS);
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(sion_fread(one, 1, 1, in)).isEqualTo(1);
        assertThat(one.get(0)).isEqualTo((byte) 7);
        assertThat(sion_seek(in, 0, SION_END_POS, -1)).isEqualTo(SION_SUCCESS);
        assertThat(sion_get_bytes_read(in)).isEqualTo(599);
        assertThat(sion_close(in)).isEqualTo(SION_SUCCESS);
        assertThat(sion_open_rank(name(), "br", new long[1], new int[1], new int[] {2}))
                .isEqualTo(SION_ID_NOT_VALID);
    }

    @Test
    void parallelWithCollectors() {
        ThreadCommunicator.run(4, world -> {
            String[] file = new String[1];
            int[] rank = new int[1];
            int sid = sion_paropen_mpi(
                    name(),
                    "bw,collective,collsize=2",
                    new int[] {2},
                    world,
                    null,
                    new long[] {64},
                    new int[] {512},
                    rank,
                    file);
            assertThat(rank[0]).isEqualTo(world.rank());
            assertThat(file[0]).isEqualTo(world.rank() < 2 ? name() : name() + ".000001");
            ByteBuffer data = ByteBuffer.allocate(64).putInt(0, world.rank());
            assertThat(sion_coll_fwrite(data, 64, 1, sid)).isEqualTo(1);
            assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
            int[] files = new int[1];
            int in = sion_paropen_mpi(name(), "br", files, world, null, new long[1], null, null, null);
            assertThat(files[0]).isEqualTo(2);
            ByteBuffer read = ByteBuffer.allocate(64);
            assertThat(sion_coll_fread(read, 64, 1, in)).isEqualTo(1);
            assertThat(read.getInt(0)).isEqualTo(world.rank());
            assertThat(sion_coll_fread(read.clear(), 64, 1, in)).isZero();
            assertThat(sion_parclose_mpi(in)).isEqualTo(SION_SUCCESS);
        });
    }

    @Test
    void parallelWithAFileForEachLocalCommunicator() throws IOException {
        ThreadCommunicator.run(3, world -> {
            int[] files = {0};
            int[] block = {-1};
            try (Communicator local = world.split(world.rank() / 2, 0)) {
                int sid = sion_paropen_mpi(name(), "bw", files, world, local, new long[] {10}, block, null, null);
                assertThat(files[0]).isEqualTo(2);
                assertThat(block[0]).isPositive();
                assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
            }
            // Neither to read nor to write.
            assertThat(sion_paropen_mpi(name(), "posix", files, world, null, new long[1], null, null, null))
                    .isEqualTo(SION_ID_NOT_VALID);
        });
    }

    @Test
    void mapped() {
        ThreadCommunicator.run(2, world -> {
            int[][] ranks = {world.rank() == 0 ? new int[] {0, 2} : new int[] {1}};
            int[][] numbers = {new int[ranks[0].length]};
            int count = ranks[0].length;
            long[][] chunks = {new long[] {100, 100}};
            int sid = sion_paropen_mapped_mpi(
                    name(), "bw", new int[] {1}, world, new int[] {count}, ranks, chunks, numbers, ranks, new int[] {64
                    });
            for (int task : ranks[0]) {
                assertThat(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS))
                        .isEqualTo(SION_SUCCESS);
                ByteBuffer data = ByteBuffer.allocate(4).putInt(0, task);
                assertThat(sion_fwrite(data, 4, 1, sid)).isEqualTo(1);
            }
            assertThat(sion_parclose_mapped_mpi(sid)).isEqualTo(SION_SUCCESS);
            int[] share = {-1};
            int[][] own = new int[1][];
            int in = sion_paropen_mapped_mpi(
                    name(), "br", new int[1], world, share, own, chunks, null, null, new int[1]);
            assertThat(own[0]).containsExactly(world.rank() == 0 ? new int[] {0} : new int[] {1, 2});
            assertThat(share[0]).isEqualTo(own[0].length);
            for (int task : own[0]) {
                assertThat(sion_seek(in, task, 0, 0)).isEqualTo(SION_SUCCESS);
                ByteBuffer data = ByteBuffer.allocate(4);
                assertThat(sion_fread(data, 4, 1, in)).isEqualTo(1);
                assertThat(data.getInt(0)).isEqualTo(task);
            }
            assertThat(sion_parclose_mapped_mpi(in)).isEqualTo(SION_SUCCESS);
        });
    }

    @Test
    void keys() {
        int sid = sion_open(name(), "bw,keyval=inline", new int[] {1}, null, new long[][] {{64}}, new int[] {64}, null);
        assertThat(sion_fwrite_key(ByteBuffer.wrap(new byte[100]), 9, 10, 10, sid))
                .isEqualTo(10);
        assertThat(sion_fwrite(ByteBuffer.allocate(1), 1, 1, sid)).isZero();
        assertThat(sion_close(sid)).isEqualTo(SION_SUCCESS);
        int in = sion_open(name(), "br,keyval=inline", new int[1], null, null, null, null);
        long[] key = new long[1];
        long[] size = new long[1];
        assertThat(sion_fread_key_iterator_next(in, key, size)).isEqualTo(SION_SUCCESS);
        assertThat(key[0]).isEqualTo(9);
        assertThat(size[0]).isEqualTo(100);
        assertThat(sion_fread_key_iterator_next(in, key, size)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_fread_key(ByteBuffer.allocate(200), 9, 30, 6, in)).isEqualTo(3);
        assertThat(sion_seek_key(in, 9, SION_ABSOLUTE_POS, 99)).isEqualTo(SION_SUCCESS);
        assertThat(sion_fread_key(ByteBuffer.allocate(200), 9, 1, 6, in)).isEqualTo(1);
        assertThat(sion_fread_key(ByteBuffer.allocate(200), 9, 1, 6, in)).isZero();
        assertThat(sion_key_full_scan(in)).isEqualTo(SION_SUCCESS);
        for (int pass = 0; pass < 2; pass++) {
            assertThat(sion_key_list_iterator_next(in, key)).isEqualTo(SION_SUCCESS);
            assertThat(key[0]).isEqualTo(9);
            assertThat(sion_key_list_iterator_next(in, key)).isEqualTo(SION_NOT_SUCCESS);
            assertThat(sion_key_list_iterator_reset(in)).isEqualTo(SION_SUCCESS);
        }
        KeyValueReader.Statistics[] statistics = new KeyValueReader.Statistics[1];
        assertThat(sion_key_get_stat(in, 9, statistics)).isEqualTo(SION_SUCCESS);
        assertThat(statistics[0]).isEqualTo(new KeyValueReader.Statistics(9, 1, 100));
        assertThat(sion_key_get_stat(in, 8, statistics)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_close(in)).isEqualTo(SION_SUCCESS);
    }

    @Test
    void theTableInTheDocumentationIsComplete() throws IOException {
        Path table = Path.of(System.getProperty("drumlin.root"), "docs", "sionlib.md");
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(table)) {
            String[] columns = line.split("\\|");
            if (columns.length > 2 && columns[2].trim().equals("yes")) {
                Pattern.compile("sion_\\w+").matcher(columns[1]).results().forEach(name -> listed.add(name.group()));
            }
        }
        Set<String> offered = Stream.of(SION.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(listed).isEqualTo(offered);
    }
}
