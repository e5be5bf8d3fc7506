package io.drumlin.nativecore.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.nativecore.NativeLibrary.Build;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpiChoiceTest {

    private static final String OPENMPI = "drumlin_mpi-openmpi";
    private static final String MPICH = "drumlin_mpi-mpich";
    private static final String PLAIN = "drumlin_mpi";

    private static MpiChoice launched(Map<String, String> environment) {
        return MpiChoice.of(null, Optional.empty(), environment);
    }

    private static List<String> builds(MpiChoice choice) {
        return choice.builds().stream().map(Build::name).toList();
    }

    @Test
    void withoutALauncherTheMpiIsThatOfTheBuild() {
        assertThat(builds(launched(Map.of("SLURM_NTASKS", "4")))).containsExactly(PLAIN, OPENMPI, MPICH);
    }

    @ParameterizedTest
    @CsvSource({
        "OMPI_COMM_WORLD_SIZE, OPENMPI",
        "PMIX_RANK, OPENMPI",
        "HYDI_CONTROL_FD, MPICH",
        "PALS_RANKID, MPICH",
        "MV2_COMM_WORLD_SIZE, MPICH",
        "PMI_SIZE, MPICH"
    })
    void theLauncherIsBelievedFirst(String variable, MpiFamily family) {
        MpiChoice choice = launched(Map.of(variable, "2"));
        assertThat(choice.family()).isEqualTo(family);
        assertThat(choice.reason()).isEqualTo(variable + " is set");
        assertThat(builds(choice)).containsExactly(PLAIN + "-" + family.id, PLAIN, PLAIN + "-" + family.other().id);
    }

    @Test
    void mpirunIsBelievedMoreThanTheInterfaceBelowIt() {
        assertThat(launched(Map.of("OMPI_COMM_WORLD_SIZE", "2", "PMI_SIZE", "2", "HYDI_CONTROL_FD", "7"))
                        .family())
                .isEqualTo(MpiFamily.OPENMPI);
    }

    @Test
    void fluxStartsProgramsOfEitherMpi() {
        assertThat(launched(Map.of("FLUX_JOB_ID", "f1", "PMI_SIZE", "2")).family())
                .isNull();
    }

    @Test
    void whatTheUserAsksForIsTakenOrNothing() {
        MpiChoice choice = MpiChoice.of("mpich", Optional.empty(), Map.of("OMPI_COMM_WORLD_SIZE", "2"));
        assertThat(builds(choice)).containsExactly(MPICH, PLAIN);
        assertThat(choice.mismatch("MPICH Version: 4.0.2")).isNull();
        assertThat(choice.mismatch("Intel(R) MPI Library 2021.9 for Linux* OS")).isNull();
        assertThat(choice.mismatch("Open MPI v4.1.4, package: Debian OpenMPI"))
                .contains("Open MPI v4.1.4")
                .contains("must be MPICH")
                .contains("scripts/build --mpi mpich");
    }

    @Test
    void theUserMayNameTheLibrary() {
        MpiChoice choice = MpiChoice.of("/opt/cray/lib/libmpi_gnu_123.so.12", Optional.empty(), Map.of());
        assertThat(choice.family()).isEqualTo(MpiFamily.MPICH);
        assertThat(choice.library()).isEqualTo("/opt/cray/lib/libmpi_gnu_123.so.12");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lam", "MPICH", "/opt/mpi/libmpi.so", "libmpi.so.1"})
    void whatIsNotUnderstoodIsRefused(String asked) {
        assertThatThrownBy(() -> MpiChoice.of(asked, Optional.empty(), Map.of()))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining(" is " + asked + "; it must be");
    }

    @Test
    void theMpiOfTheProgramIsTheOnlyOne() {
        Optional<String> loaded = Optional.of("/usr/lib/libmpi.so.40.30.4");
        assertThat(builds(MpiChoice.of(null, loaded, Map.of("PMI_SIZE", "2")))).containsExactly(OPENMPI, PLAIN);
        assertThatThrownBy(() -> MpiChoice.of("mpich", loaded, Map.of()))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("asks for mpich")
                .hasMessageContaining("has loaded /usr/lib/libmpi.so.40.30.4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "libmpi.so.12",
                "/x/libmpi.so.12.1.1",
                "libmpich.so.12",
                "libmpi_cray.so.12",
                "libmpi_intel.so.12.0.0"
            })
    void librariesLikeMpichsAreKnownByTheirNames(String name) {
        assertThat(MpiFamily.ofFile(name)).contains(MpiFamily.MPICH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"libmpi_cxx.so.40", "libmpich.so", "libdrumlin_mpi.so", "libmpi.so.40.txt", "libmpi_java.so.40"})
    void otherLibrariesAreNoMpi(String name) {
        assertThat(MpiFamily.ofFile(name)).isEmpty();
    }
}
