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
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The calls of C SIONlib with what they return. */
class SIONTest {

    /** What the headers of C SIONlib 1.7.6 offer to programs. */
    private static final String NAMES_OF_C =
            """
            sion_bytes_avail_in_block sion_bytes_avail_in_chunk sion_close sion_coll_fread
            sion_coll_fread_mpi sion_coll_fwrite sion_coll_fwrite_mpi sion_dedup sion_dup
            sion_endianness_swap_needed sion_endof_transaction_mpi sion_ensure_free_space sion_feof
            sion_file_check_par_args_free_mpi sion_file_check_par_args_init_mpi sion_file_check_par_cb_mpi
            sion_flush sion_fread sion_fread_key sion_fread_key_iterator_next sion_fread_key_iterator_reset
            sion_free_io_info sion_fwrite sion_fwrite_key sion_generic_create_api sion_generic_free_api
            sion_generic_parclose sion_generic_parclose_mapped sion_generic_paropen
            sion_generic_paropen_mapped sion_generic_parreinit sion_generic_register_barrier_cb
            sion_generic_register_bcastr_cb sion_generic_register_create_local_commgroup_cb
            sion_generic_register_execute_and_scatter_cb sion_generic_register_free_local_commgroup_cb
            sion_generic_register_gather_and_execute_cb sion_generic_register_gatherr_cb
            sion_generic_register_gathervr_cb sion_generic_register_get_capability_cb
            sion_generic_register_get_multi_filename_cb sion_generic_register_scatterr_cb
            sion_generic_register_scattervr_cb sion_get_bytes_read sion_get_bytes_written
            sion_get_current_location sion_get_current_locations sion_get_endianness sion_get_fd
            sion_get_file_endianness sion_get_filenumber sion_get_fp sion_get_io_info
            sion_get_io_info_by_spec sion_get_keyval_mode sion_get_locations sion_get_mapping
            sion_get_number_of_files sion_get_position sion_get_sizeof sion_get_version
            sion_is_serial_opened sion_is_thread_safe sion_key_full_scan sion_key_get_stat
            sion_key_list_iterator_next sion_key_list_iterator_reset sion_keyval_type_to_str
            sion_lock_register_lock_callbacks sion_lock_user_callbacks_defined sion_open sion_open_rank
            sion_optimize_fp_buffer sion_parclose_mapped_mpi sion_parclose_mpi sion_parclose_omp
            sion_parclose_ompi sion_paropen_comms_mpi sion_paropen_mapped_mpi sion_paropen_mpi
            sion_paropen_multi_mpi sion_paropen_omp sion_paropen_ompi sion_parreinit_mpi sion_seek
            sion_seek_fp sion_seek_key sion_set_fp_closed sion_set_second_fp sion_startof_transaction_mpi
            sion_swap sion_unset_second_fp sion_using_hints
            """;

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
    void serialWriteTellsTheBlockOfTheFileSystem() {
        int[] block = {-1};
        int sid = sion_open(name(), "bw", new int[] {1}, null, new long[][] {{10}}, block, null);
        assertThat(sid).isNotNegative();
        int written = block[0];
        assertThat(written).isPositive();
        assertThat(sion_close(sid)).isEqualTo(SION_SUCCESS);
        int in = sion_open(name(), "br", new int[1], null, null, block, null);
        assertThat(block[0]).isEqualTo(written);
        assertThat(sion_close(in)).isEqualTo(SION_SUCCESS);
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
        assertThat(sion_flush(sid)).isEqualTo(SION_SUCCESS);
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
        Set<String> all = new TreeSet<>();
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(table)) {
            String[] columns = line.split("\\|");
            if (columns.length > 2 && columns[1].contains("sion_")) {
                Set<String> names = Pattern.compile("sion_\\w+")
                        .matcher(columns[1])
                        .results()
                        .map(name -> name.group())
                        .collect(Collectors.toSet());
                all.addAll(names);
                assertThat(columns[2].trim()).matches("yes|no: .+");
                if (columns[2].trim().equals("yes")) {
                    listed.addAll(names);
                }
            }
        }
        Set<String> offered = Stream.of(SION.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(all).hasSize(93).containsExactlyInAnyOrder(NAMES_OF_C.trim().split("\\s+"));
        assertThat(listed).isEqualTo(offered);
    }

    /** Two files with two tasks each; task 3 has two blocks. */
    private void makeSet() throws IOException {
        ThreadCommunicator.run(4, world -> {
            int[] files = {2};
            int sid = sion_paropen_multi_mpi(
                    name(), "bw", files, world, null, new long[] {100}, new int[] {64}, new int[1], null);
            assertThat(sion_get_filenumber(sid)).isEqualTo(world.rank() / 2);
            assertThat(sion_is_serial_opened(sid)).isZero();
            assertThat(sion_get_io_info(sid)).isNull();
            for (int part = 0; part < (world.rank() == 3 ? 2 : 1); part++) {
                byte[] data = new byte[90];
                Arrays.fill(data, (byte) (10 * world.rank() + part));
                assertThat(sion_fwrite(ByteBuffer.wrap(data), 1, 90, sid)).isEqualTo(90);
            }
            assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
        });
    }

    @Test
    void locationsAndMapping() throws IOException {
        makeSet();
        int in = sion_open(name(), "br", new int[1], null, null, null, null);
        int[] tasks = new int[1];
        int[] blocks = new int[1];
        long[] skip = new long[1];
        long[] varheader = new long[1];
        long[][] chunks = new long[1][];
        long[][] ranks = new long[1][];
        long[][] counts = new long[1][];
        long[][] sizes = new long[1][];
        assertThat(sion_get_locations(in, tasks, blocks, skip, varheader, chunks, ranks, counts, sizes))
                .isEqualTo(SION_SUCCESS);
        assertThat(tasks).containsExactly(4);
        assertThat(blocks).containsExactly(2);
        assertThat(skip).containsExactly(256);
        assertThat(varheader).containsExactly(1152 + 256);
        assertThat(chunks[0]).containsExactly(128, 128, 128, 128);
        assertThat(ranks[0]).containsExactly(0, 1, 2, 3);
        assertThat(counts[0]).containsExactly(1, 1, 1, 2);
        assertThat(sizes[0]).containsExactly(90, 90, 90, 90, -1, -1, -1, 90);
        int[] size = new int[1];
        int[][] mapping = new int[1][];
        int[] files = new int[1];
        assertThat(sion_get_mapping(in, size, mapping, files)).isEqualTo(SION_SUCCESS);
        assertThat(size).containsExactly(4);
        assertThat(files).containsExactly(2);
        assertThat(mapping[0]).containsExactly(0, 0, 0, 1, 1, 0, 1, 1);
        assertThat(sion_seek(in, 3, 1, 7)).isEqualTo(SION_SUCCESS);
        long[][] at = new long[1][];
        long[][] block = new long[1][];
        assertThat(sion_get_current_locations(in, tasks, at, block)).isEqualTo(SION_SUCCESS);
        assertThat(at[0]).containsExactly(1152, 1152 + 128, 1152, 1152 + 128 + 256 + 7);
        assertThat(block[0]).containsExactly(0, 0, 0, 1);
        assertThat(sion_get_filenumber(in)).isEqualTo(1);
        assertThat(sion_is_serial_opened(in)).isEqualTo(1);
        assertThat(sion_get_keyval_mode(in)).isEqualTo(SION_KEYVAL_NONE);
        assertThat(sion_keyval_type_to_str(SION_KEYVAL_NONE)).isEqualTo("SION_KEYVAL_NONE");
        assertThat(sion_close(in)).isEqualTo(SION_SUCCESS);
    }

    @Test
    void aDuplicateHasAPositionOfItsOwn() throws IOException {
        makeSet();
        int in = sion_open(name(), "br", new int[1], null, null, null, null);
        assertThat(sion_seek(in, 3, 1, 80)).isEqualTo(SION_SUCCESS);
        int other = sion_dup(in, SION_DUP_RANK, 3, 0);
        assertThat(sion_dup(in, SION_DUP_RANK, 4, 0)).isEqualTo(SION_ID_NOT_VALID);
        ByteBuffer data = ByteBuffer.allocate(90);
        assertThat(sion_fread(data, 1, 90, other)).isEqualTo(90);
        assertThat(data.get(0)).isEqualTo((byte) 30);
        assertThat(sion_bytes_avail_in_block(in)).isEqualTo(10);
        assertThat(sion_dedup(in)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_dedup(other)).isEqualTo(SION_SUCCESS);
        assertThat(sion_dedup(other)).isEqualTo(SION_NOT_SUCCESS);
        assertThat(sion_bytes_avail_in_block(in)).isEqualTo(10);
        assertThat(sion_close(in)).isEqualTo(SION_SUCCESS);
    }

    @Test
    void rolesInFilesWithBuddyCopies() throws IOException {
        ThreadCommunicator.run(4, world -> {
            int[] files = {2};
            int sid = sion_paropen_multi_mpi(
                    name(), "bw,buddy", files, world, null, new long[] {100}, new int[] {64}, new int[1], null);
            assertThat(sion_coll_fwrite_mpi(ByteBuffer.allocate(50), 1, 50, sid))
                    .isEqualTo(50);
            assertThat(sion_flush(sid)).isEqualTo(SION_SUCCESS);
            int own = world.rank() / 2;
            Path mine = Path.of(name() + (own == 0 ? "" : ".000001"));
            Path sent = Path.of(name() + "_BUDDY_00" + (own == 0 ? "" : ".000001"));
            Path received = Path.of(name() + "_BUDDY_00" + (own == 1 ? "" : ".000001"));
            SionFileRole writer = new SionFileRole(mine, 50, SION_ROLE_WRITER);
            SionFileRole collector =
                    new SionFileRole(received, 0, world.rank() % 2 == 0 ? SION_ROLE_COLLECTOR : SION_ROLE_NOWRITER);
            assertThat(sion_get_io_info(sid)).containsExactly(writer, collector);
            assertThat(sion_get_io_info_by_spec(sid, SION_ROLE_SENDER, SION_GET_IO_INFO_FLAG_NONE))
                    .containsExactly(new SionFileRole(sent, 50, SION_ROLE_SENDER));
            assertThat(sion_free_io_info(sion_get_io_info(sid))).isEqualTo(SION_SUCCESS);
            assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
        });
    }

    /** C SIONlib ignores the number of files that the program gives, and tells the one that there is. */
    @ParameterizedTest
    @CsvSource({"2, 1", "1, 2"})
    void communicatorsSayHowManyFilesThereAre(int given, int expected) throws IOException {
        ThreadCommunicator.run(4, world -> {
            int[] files = {given};
            Communicator local = expected == 1 ? world : world.split(world.rank() / 2, world.rank());
            int sid = sion_paropen_comms_mpi(
                    name(), "bw", files, world, local, new long[] {8}, new int[] {64}, null, null);
            assertThat(files).containsExactly(expected);
            assertThat(sion_get_number_of_files(sid)).isEqualTo(expected);
            assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
        });
    }

    /** Of 18 tasks, 8 work at the same time: task 8 begins after task 0 has ended. */
    @Test
    void tasksTakeTurns() throws IOException {
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ThreadCommunicator.run(18, world -> {
            int sid = sion_paropen_mpi(
                    name(), "bw", new int[] {1}, world, null, new long[] {8}, new int[] {64}, null, null);
            assertThat(sion_startof_transaction_mpi(sid)).isEqualTo(SION_SUCCESS);
            most.accumulateAndGet(working.incrementAndGet(), Math::max);
            sion_fwrite(ByteBuffer.allocate(8), 1, 8, sid);
            working.decrementAndGet();
            assertThat(sion_endof_transaction_mpi(sid)).isEqualTo(SION_SUCCESS);
            assertThat(sion_parclose_mpi(sid)).isEqualTo(SION_SUCCESS);
        });
        assertThat(most.get()).isBetween(1, 8);
    }

    @Test
    void filesAreTried() throws IOException {
        makeSet();
        ThreadCommunicator.run(4, world -> {
            FileCheck check = sion_file_check_par_args_init_mpi("br", world, 2, null);
            assertThat(sion_file_check_par_cb_mpi(name(), check)).isEqualTo(SION_SUCCESS);
            assertThat(sion_file_check_par_cb_mpi(name() + "-missing", check)).isEqualTo(SION_NOT_SUCCESS);
            assertThat(sion_file_check_par_args_free_mpi(check)).isEqualTo(SION_SUCCESS);
        });
    }

    @Test
    void bytesAreSwapped() {
        ByteBuffer numbers =
                ByteBuffer.allocate(12).putInt(0x01020304).putInt(5).putInt(6);
        ByteBuffer swapped = ByteBuffer.allocate(12);
        sion_swap(swapped, numbers.flip(), 4, 2, 1);
        assertThat(swapped.getInt(0)).isEqualTo(0x04030201);
        assertThat(swapped.getInt(8)).isZero();
        sion_swap(numbers, numbers, 4, 3, 1);
        assertThat(numbers.getInt(0)).isEqualTo(0x04030201);
        sion_swap(swapped, numbers, 4, 3, 0);
        assertThat(swapped).isEqualTo(numbers);
        int[] version = new int[4];
        int[][] each = {{0}, {0}, {0}, {0}};
        assertThat(sion_get_version(each[0], each[1], each[2], each[3])).isEqualTo(SION_SUCCESS);
        for (int i = 0; i < 4; i++) {
            version[i] = each[i][0];
        }
        assertThat(version).containsExactly(1, 7, 6, 5);
    }
}
