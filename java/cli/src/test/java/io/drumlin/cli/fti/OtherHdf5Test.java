package io.drumlin.cli.fti;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.hdf5.Hdf5Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.hdf5.global.hdf5;
import org.bytedeco.javacpp.BytePointer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HDF5 files that no checkpoint is like, but that are whole: written by the library in its oldest and newest format. */
@Tag("native")
class OtherHdf5Test {

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    @BeforeAll
    static void requireLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    /** What a file has beside a dataset of numbers, and how verify ends. */
    private enum Kind {
        SOFT_LINK(ExitCode.OK),
        HARD_LINK(ExitCode.NOT_RECOGNISED),
        TEXTS(ExitCode.NOT_RECOGNISED),
        TIME(ExitCode.NOT_RECOGNISED),
        REFERENCE(ExitCode.NOT_RECOGNISED),
        NO_ELEMENTS(ExitCode.OK),
        SOME_CHUNKS(ExitCode.NOT_RECOGNISED),
        OTHER_FILES(ExitCode.NOT_RECOGNISED),
        NEVER_WRITTEN(ExitCode.NOT_RECOGNISED),
        USER_BLOCK(ExitCode.OK);

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    private Path write(Kind kind, boolean newest) throws IOException {
        Path file = directory.resolve(kind + (newest ? "-newest" : "") + ".h5");
        long access = hdf5.H5Pcreate(hdf5.H5P_CLS_FILE_ACCESS_ID_g());
        // Closes what is open in it, too.
        require(hdf5.H5Pset_fclose_degree(access, hdf5.H5F_CLOSE_STRONG));
        if (newest) {
            require(hdf5.H5Pset_libver_bounds(access, hdf5.H5F_LIBVER_LATEST, hdf5.H5F_LIBVER_LATEST));
        }
        long creation = hdf5.H5Pcreate(hdf5.H5P_CLS_FILE_CREATE_ID_g());
        if (kind == Kind.USER_BLOCK) {
            require(hdf5.H5Pset_userblock(creation, 2048));
        }
        long made = require(hdf5.H5Fcreate(file.toString(), hdf5.H5F_ACC_TRUNC, creation, access));
        long numbers =
                dataset(made, "numbers", hdf5.H5T_STD_I8LE_g(), hdf5.H5Pcreate(hdf5.H5P_CLS_DATASET_CREATE_ID_g()));
        write(numbers, hdf5.H5S_ALL);
        add(kind, made, hdf5.H5Pcreate(hdf5.H5P_CLS_DATASET_CREATE_ID_g()));
        require(hdf5.H5Fclose(made));
        return file;
    }

    private void add(Kind kind, long file, long properties) {
        switch (kind) {
            case SOFT_LINK -> require(hdf5.H5Lcreate_soft("/nowhere", file, "soft", 0, 0));
            case HARD_LINK -> require(hdf5.H5Lcreate_hard(file, "numbers", file, "again", 0, 0));
            case TEXTS -> {
                long text = hdf5.H5Tcopy(hdf5.H5T_C_S1_g());
                require(hdf5.H5Tset_size(text, hdf5.H5T_VARIABLE));
                dataset(file, "texts", text, properties);
            }
            case TIME -> dataset(file, "time", hdf5.H5T_UNIX_D32LE_g(), properties);
            case REFERENCE -> dataset(file, "reference", hdf5.H5T_STD_REF_OBJ_g(), properties);
            case NO_ELEMENTS ->
                require(hdf5.H5Dcreate2(
                        file, "none", hdf5.H5T_STD_I8LE_g(), hdf5.H5Screate(hdf5.H5S_NULL), 0, properties, 0));
            case SOME_CHUNKS -> {
                require(hdf5.H5Pset_chunk(properties, 1, new long[] {2}));
                long space = hdf5.H5Screate_simple(1, new long[] {4}, (long[]) null);
                require(hdf5.H5Sselect_hyperslab(
                        space, hdf5.H5S_SELECT_SET, new long[] {2}, (long[]) null, new long[] {2}, (long[]) null));
                write(dataset(file, "some", hdf5.H5T_STD_I8LE_g(), properties), space);
            }
            case OTHER_FILES -> {
                require(hdf5.H5Pset_external(
                        properties, directory.resolve("other").toString(), 0, 4));
                write(dataset(file, "elsewhere", hdf5.H5T_STD_I8LE_g(), properties), hdf5.H5S_ALL);
            }
            case NEVER_WRITTEN -> dataset(file, "never", hdf5.H5T_STD_I8LE_g(), properties);
            case USER_BLOCK -> {}
        }
    }

    private static long dataset(long file, String name, long type, long properties) {
        long space = hdf5.H5Screate_simple(1, new long[] {4}, (long[]) null);
        return require(hdf5.H5Dcreate2(file, name, type, space, 0, properties, 0));
    }

    private static void write(long dataset, long space) {
        try (BytePointer bytes = new BytePointer(new byte[] {1, 2, 3, 4})) {
            require(hdf5.H5Dwrite(dataset, hdf5.H5T_STD_I8LE_g(), space, space, 0, bytes));
        }
    }

    private static long require(long result) {
        assertThat(result).isNotNegative();
        return result;
    }

    @ParameterizedTest
    @EnumSource
    void verifyTellsThemFromDamagedOnes(Kind kind) throws IOException {
        for (boolean newest : new boolean[] {false, true}) {
            Path file = write(kind, newest);
            for (String name : new String[] {"verify", "inspect"}) {
                int code = name.equals("inspect") && kind == Kind.NEVER_WRITTEN ? ExitCode.OK : kind.code;
                assertThat(command.run(name, file))
                        .as(name + " " + file + " " + command.out() + command.err())
                        .isEqualTo(code);
                assertThat(command.err().isEmpty()).as(command.err()).isEqualTo(code == ExitCode.OK);
            }
            assertThat(command.out() + command.err()).contains(file.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-f FLET -l CHUNK=4", "--latest -f FLET -l CHUNK=4"})
    void aWrongByteIsDamage(String options) throws IOException {
        Path file = write(Kind.SOFT_LINK, false);
        Repacked.repack(file, options);
        assertThat(command.run("verify", file)).as(command.err()).isZero();
        byte[] bytes = Files.readAllBytes(file);
        int at = 0;
        while (bytes[at] != 1 || bytes[at + 1] != 2 || bytes[at + 2] != 3 || bytes[at + 3] != 4) {
            at++;
        }
        bytes[at] ^= 1;
        Files.write(file, bytes);
        assertThat(command.run("verify", file)).as(command.err()).isEqualTo(ExitCode.DAMAGED);
        assertThat(Hdf5Tools.run("h5dump", "-H", file.toString())).contains("numbers");
    }
}
