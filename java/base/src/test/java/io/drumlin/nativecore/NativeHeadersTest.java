package io.drumlin.nativecore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Declarations of the C core do not change without their ABI number. Glue and classes of two builds find each other by
 * names alone, and a call with other arguments would be garbage. The number is in the SONAME that glue asks for.
 */
class NativeHeadersTest {

    private static final Path INCLUDE = Path.of(System.getProperty("drumlin.root"), "native", "include", "drumlin");
    private static final Pattern ABI = Pattern.compile("#define DRUMLIN_[A-Z]+_ABI ([0-9]+)");

    @ParameterizedTest
    @CsvSource({
        "core.h jni_buffer.h, 7, 6cf1b011ed0fb0b4bf3f0c1d0831ecc5a130454df11f556722c2f30a8ef2a534",
        "mpi.h, 8, 00776313667f38ac41a46ca1cb40609d790916d6528abbd62ba7aea544b65328"
    })
    void declarationsAreThoseOfTheAbi(String names, int abi, String expected) throws Exception {
        StringBuilder declarations = new StringBuilder();
        for (String name : List.of(names.split(" "))) {
            declarations.append(declarations(INCLUDE.resolve(name)));
        }
        Matcher number = ABI.matcher(declarations);
        assertThat(number.find()).isTrue();
        assertThat(Integer.parseInt(number.group(1))).isEqualTo(abi);
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        byte[] digest = sha.digest(declarations.toString().getBytes(StandardCharsets.UTF_8));
        assertThat(HexFormat.of().formatHex(digest))
                .as(
                        "SHA-256 of the declarations in %s: raise the ABI in the header, in the class of the binding and"
                                + " here, then write the new digest here",
                        names)
                .isEqualTo(expected);
    }

    /** Comments and the length of lines do not count. */
    private static String declarations(Path header) throws IOException {
        return Files.readString(header).replaceAll("(?s)/\\*.*?\\*/", " ").replaceAll("\\s+", " ");
    }
}
