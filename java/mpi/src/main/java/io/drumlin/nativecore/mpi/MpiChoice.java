package io.drumlin.nativecore.mpi;

import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeLibrary.Build;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The build of libdrumlin_mpi that fits this process: {@code libdrumlin_mpi-openmpi.so} or
 * {@code libdrumlin_mpi-mpich.so}, which take any MPI of their family, or {@code libdrumlin_mpi.so}, which is linked to
 * the MPI that it was built with.
 *
 * @param family family of the MPI to use; {@code null} if nothing tells
 * @param certain whether no other family is acceptable
 * @param library the MPI library to load; {@code null} for the one that the dynamic linker finds
 * @param reason the reason, for messages
 */
record MpiChoice(@Nullable MpiFamily family, boolean certain, @Nullable String library, String reason) {

    /** The system property that names the family, or the MPI library itself. */
    static final String PROPERTY = "drumlin.mpi";

    /** The environment variable that names it if the property does not. */
    static final String VARIABLE = "DRUMLIN_MPI";

    private static final String PLAIN = "drumlin_mpi";

    /** A variable of a launcher, and the family of the programs that it starts. */
    private record Sign(String variable, MpiFamily family) {}

    /**
     * The last two belong to interfaces that either family may use. Most programs with them are of the family named
     * here.
     */
    private static final List<Sign> SIGNS = List.of(
            new Sign("OMPI_COMM_WORLD_SIZE", MpiFamily.OPENMPI),
            new Sign("HYDI_CONTROL_FD", MpiFamily.MPICH),
            new Sign("MV2_COMM_WORLD_SIZE", MpiFamily.MPICH),
            new Sign("PALS_RANKID", MpiFamily.MPICH),
            new Sign("PMIX_RANK", MpiFamily.OPENMPI),
            new Sign("PMI_SIZE", MpiFamily.MPICH));

    /**
     * Chooses.
     *
     * @param asked the user's choice: {@code openmpi}, {@code mpich} or the file of an MPI library; {@code null} for
     *     nothing
     * @param loaded path of the MPI library that the process has already loaded
     * @param environment variables of the process
     * @throws UnsatisfiedLinkError the user's choice is not understood, or another MPI is loaded already
     */
    static MpiChoice of(@Nullable String asked, Optional<String> loaded, Map<String, String> environment) {
        if (loaded.isPresent()) {
            MpiFamily family = MpiFamily.ofFile(loaded.get()).orElseThrow();
            if (asked != null && asked(asked).family != family) {
                throw new UnsatisfiedLinkError("-D" + PROPERTY + " or " + VARIABLE + " asks for " + asked
                        + ", but the program has loaded " + loaded.get() + ", and a process has room for one MPI");
            }
            return new MpiChoice(family, true, loaded.get(), loaded.get() + " is loaded");
        }
        return asked != null ? asked(asked) : launched(environment);
    }

    private static MpiChoice asked(String asked) {
        String reason = "-D" + PROPERTY + " or " + VARIABLE + " says so";
        for (MpiFamily family : MpiFamily.values()) {
            if (asked.equals(family.id)) {
                return new MpiChoice(family, true, null, reason);
            }
        }
        MpiFamily family = MpiFamily.ofFile(asked)
                .orElseThrow(
                        () -> new UnsatisfiedLinkError(
                                "-D" + PROPERTY + " or " + VARIABLE + " is " + asked
                                        + "; it must be openmpi, mpich, or the path of a library such as libmpi.so.40 or libmpi.so.12"));
        return new MpiChoice(family, true, asked, reason);
    }

    private static MpiChoice launched(Map<String, String> environment) {
        for (Sign sign : SIGNS) {
            // Flux sets PMI_SIZE for programs of both families.
            boolean flux = sign.variable.equals("PMI_SIZE") && environment.containsKey("FLUX_JOB_ID");
            if (environment.containsKey(sign.variable) && !flux) {
                return new MpiChoice(sign.family, false, null, sign.variable + " is set");
            }
        }
        return new MpiChoice(null, false, null, "no launcher tells which");
    }

    /** Returns the builds in the order in which to try them. */
    List<Build> builds() {
        Build plain = new Build(PLAIN, NativeCore::loadGuarded);
        if (family == null) {
            return List.of(plain, build(MpiFamily.OPENMPI), build(MpiFamily.MPICH));
        }
        List<Build> builds = new ArrayList<>(List.of(build(family), plain));
        if (!certain) {
            builds.add(build(family.other()));
        }
        return builds;
    }

    private Build build(MpiFamily of) {
        return new Build(PLAIN + "-" + of.id, path -> {
            loadMpi(of);
            NativeCore.loadGuarded(path);
        });
    }

    /** Loads the MPI library, because this build of libdrumlin_mpi is not linked to it. */
    private void loadMpi(MpiFamily of) {
        MpiFamily.loaded()
                .flatMap(MpiFamily::ofFile)
                .filter(present -> present != of)
                .ifPresent(present -> {
                    throw new UnsatisfiedLinkError(of.title + ": " + present.title + " is loaded already");
                });
        List<String> failures = new ArrayList<>();
        for (String name : library != null ? List.of(library) : of.libraries()) {
            try {
                NativeCore.loadGuarded(name);
                return;
            } catch (UnsatisfiedLinkError e) {
                failures.add(e.getMessage());
            }
        }
        throw new UnsatisfiedLinkError(String.join(", ", failures));
    }

    /**
     * Returns the reason why the loaded library is not acceptable.
     *
     * @param words its description of its MPI
     * @return {@code null} if it is acceptable
     */
    @Nullable
    String mismatch(String words) {
        MpiFamily wanted = family;
        if (wanted == null || !certain || MpiFamily.ofWords(words).orElse(wanted) == wanted) {
            return null;
        }
        return "Drumlin's library is linked to " + words + ", but it must be " + wanted.title + " (" + reason
                + "); build with scripts/build --mpi " + wanted.id;
    }
}
