package io.drumlin.sion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenModeParserTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bw | DIRECT",
                "bw,posix | DIRECT",
                "ansi,bw | DIRECT",
                "br,buffered | BUFFERED",
                "bw,mpiio | MPI_IO",
                "bw,mpiio,buffered | MPI_IO",
                "bw,posix,mpiio | MPI_IO",
                "bw,mpiio,posix | DIRECT"
            })
    void wordsSayHowBytesAreMoved(String mode, SionIo io) {
        assertThat(new OpenModeParser(mode).options().io).isEqualTo(io);
        assertThat(new OpenModeParser(mode).ioOptions().io).isEqualTo(io);
    }

    @Test
    void otherWordsOfMpiIoAreHints() {
        SionOptions options = new OpenModeParser(
                        "bw,mpiio,striping_unit=1048576,cb_nodes=4,romio_ds_write=disable,collsize=3,unknown=5")
                .options();
        assertThat(options.hints)
                .isEqualTo(Map.of("striping_unit", "1048576", "cb_nodes", "4", "romio_ds_write", "disable"));
        assertThat(new OpenModeParser("bw,striping_unit=1048576").options().hints)
                .isEmpty();
    }

    @Test
    void hintsWithoutAValueAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OpenModeParser("bw,mpiio,striping_unit").options())
                .withMessageContaining("striping_unit=");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SionOptions.defaults().hint("a=b", "c"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SionOptions.defaults().hint("a", "b\nc=d"));
    }
}
