package io.drumlin.nativecore.mpi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Families of MPI libraries with the same binary interface. One build of libdrumlin_mpi runs on all libraries of a
 * family (docs/adr/022-a-build-for-each-mpi-abi.md).
 */
enum MpiFamily {
    /** Open MPI 3 to 5. */
    OPENMPI("openmpi", "Open MPI", "libmpi.so.40", "libmpi\\.so\\.40(\\.[0-9]+)*"),

    /** MPICH from 3.1 on, Cray MPICH, Intel MPI, MVAPICH. The library of Debian's MPICH has a different name. */
    MPICH("mpich", "MPICH", "libmpi.so.12 libmpich.so.12", "libmpi(ch|_[a-z]+(_[0-9]+)?)?\\.so\\.12(\\.[0-9]+)*");

    /** The name in the file name libdrumlin_mpi-NAME.so. */
    final String id;

    /** The name in messages. */
    final String title;

    private final String libraries;
    private final Pattern file;

    MpiFamily(String id, String title, String libraries, String file) {
        this.id = id;
        this.title = title;
        this.libraries = libraries;
        this.file = Pattern.compile(file);
    }

    /** Returns the files that the dynamic linker looks for. */
    List<String> libraries() {
        return List.of(libraries.split(" "));
    }

    MpiFamily other() {
        return this == OPENMPI ? MPICH : OPENMPI;
    }

    /** Finds the family of an MPI library from the name of its file; empty for any other file. */
    static Optional<MpiFamily> ofFile(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return Stream.of(values()).filter(f -> f.file.matcher(name).matches()).findFirst();
    }

    /** Finds the family from the text of MPI_Get_library_version; empty for an MPI of no family. */
    static Optional<MpiFamily> ofWords(String words) {
        if (words.startsWith("Open MPI")) {
            return Optional.of(OPENMPI);
        }
        return Stream.of("MPICH", "Intel(R) MPI", "MVAPICH").anyMatch(words::contains)
                ? Optional.of(MPICH)
                : Optional.empty();
    }

    /**
     * Returns the path of the MPI library that this process has loaded; empty if there is none, or if the system does
     * not tell.
     */
    static Optional<String> loaded() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.indexOf('/') >= 0)
                    .map(line -> line.substring(line.indexOf('/')))
                    .filter(path -> ofFile(path).isPresent())
                    .findFirst();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }
}
