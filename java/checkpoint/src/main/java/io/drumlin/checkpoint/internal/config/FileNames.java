package io.drumlin.checkpoint.internal.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of checkpoint files (docs/formats/fti-run-directory.md, section 1). */
public final class FileNames {

    /** Prefix of a rank's file of an incremental checkpoint until all variables are in it. */
    private static final String INCREMENTAL = "drumlin-incremental-";

    /** Suffix of checkpoint files in all modes but HDF5. */
    public static final String FTI = "fti";

    /** Suffix of checkpoint files in the mode HDF5. */
    public static final String HDF5 = "h5";

    public static final Pattern RANK_FILE = Pattern.compile("Ckpt(\\d{1,10})-(Rank|Pcof|RSed)(\\d{1,10})\\.(?:fti|h5)");

    /**
     * Matches a rank's file of differential checkpoints, see {@link #differentialName}; in the mode POSIX the name has
     * a number.
     */
    public static final Pattern DIFFERENTIAL_FILE =
            Pattern.compile("(?:dCPFile-Rank|dcp-id(\\d{1,10})-rank)(\\d{1,10})\\.fti");

    /** Matches the names of groups' files of metadata: sector and group. */
    public static final Pattern METADATA_FILE = Pattern.compile("sector(\\d{1,9})-group(\\d{1,9})\\.fti");

    /** Matches the names of all files of checkpoints, whatever their mode. */
    private static final Pattern ANY_FILE = Pattern.compile("Ckpt(\\d{1,9})-.*");

    /** Matches the names of directories with the metadata of archived checkpoints. */
    private static final Pattern ARCHIVED = Pattern.compile("Ckpt_(\\d{1,9})");

    private FileNames() {}

    /** Returns the id in the name of a checkpoint's file, whatever its mode; empty if it is not such a name. */
    public static OptionalInt idOfAny(Path file) {
        return number(ANY_FILE, file);
    }

    /** Returns the id in the name of a directory with the metadata of an archived checkpoint; empty if it is none. */
    public static OptionalInt idOfArchived(Path directory) {
        return number(ARCHIVED, directory);
    }

    private static OptionalInt number(Pattern pattern, Path path) {
        Matcher name = pattern.matcher(path.getFileName().toString());
        return name.matches() ? OptionalInt.of(Integer.parseInt(name.group(1))) : OptionalInt.empty();
    }

    /** Returns the name of the directory with the metadata of an archived checkpoint. */
    public static String archived(int ckptId) {
        return "Ckpt_" + ckptId;
    }

    /** Returns the name of a rank's file of differential checkpoints in the mode FTI-FF. */
    public static String differentialName(int rank) {
        return "dCPFile-" + FileKind.PLAIN.word() + rank + ".fti";
    }

    /** Returns the name of a rank's file of differential checkpoints in the mode POSIX. */
    public static String differentialName(int number, int rank) {
        return "dcp-id" + number + "-rank" + rank + "." + FTI;
    }

    /** The number and the rank in the name of a file of differential checkpoints in the mode POSIX. */
    public record Differential(int number, int rank) {}

    /** Parses the name of a file of differential checkpoints in the mode POSIX; empty if it is not such a name. */
    public static Optional<Differential> differential(String fileName) {
        Matcher name = DIFFERENTIAL_FILE.matcher(fileName);
        if (!name.matches() || name.group(1) == null) {
            return Optional.empty();
        }
        long number = Long.parseLong(name.group(1));
        long rank = Long.parseLong(name.group(2));
        // The next file needs a number too.
        return number < Integer.MAX_VALUE && rank <= Integer.MAX_VALUE
                ? Optional.of(new Differential((int) number, (int) rank))
                : Optional.empty();
    }

    public static String fileName(FileKind kind, int ckptId, int rank) {
        return fileName(kind, ckptId, rank, FTI);
    }

    public static String fileName(FileKind kind, int ckptId, int rank, String suffix) {
        return "Ckpt" + ckptId + "-" + kind.word() + rank + "." + suffix;
    }

    /** Returns the name of a rank's file of an incremental checkpoint until all variables are in it. */
    public static String incrementalName(int rank) {
        return INCREMENTAL + FileKind.PLAIN.word() + rank + ".fti";
    }

    /** Returns whether a file has the name of an unfinished file of an incremental checkpoint. */
    public static boolean isIncremental(Path file) {
        return file.getFileName().toString().startsWith(INCREMENTAL);
    }

    /** Returns the checkpoint id in a file's name; empty if it does not fit into 32 bits. */
    public static OptionalInt ckptId(Path file) {
        Matcher name = RANK_FILE.matcher(file.getFileName().toString());
        long id = name.matches() ? Long.parseLong(name.group(1)) : Long.MAX_VALUE;
        return id > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) id);
    }

    /** Returns the rank in the name of a file of ordinary or differential checkpoints; empty if it is neither. */
    public static OptionalInt anyOwner(String fileName) {
        Matcher name = DIFFERENTIAL_FILE.matcher(fileName);
        long rank = name.matches() ? Long.parseLong(name.group(2)) : Long.MAX_VALUE;
        return rank > Integer.MAX_VALUE ? owner(fileName) : OptionalInt.of((int) rank);
    }

    /** Returns the rank in the name of a checkpoint file; empty if it is not such a name. */
    public static OptionalInt owner(String fileName) {
        Matcher name = RANK_FILE.matcher(fileName);
        long rank = name.matches() ? Long.parseLong(name.group(3)) : Long.MAX_VALUE;
        return rank > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) rank);
    }

    /** Returns the rank in the name of a plain file, in the modes without HDF5; empty if it is not such a name. */
    public static OptionalInt plainOwner(String fileName) {
        Matcher name = RANK_FILE.matcher(fileName);
        boolean plain = name.matches() && name.group(2).equals(FileKind.PLAIN.word()) && fileName.endsWith(FTI);
        return plain ? owner(fileName) : OptionalInt.empty();
    }

    /**
     * Returns the rank in the name of a file of differential checkpoints in the mode FTI-FF; empty if it is not such a
     * name.
     */
    public static OptionalInt differentialOwner(String fileName) {
        Matcher name = DIFFERENTIAL_FILE.matcher(fileName);
        long rank = name.matches() && name.group(1) == null ? Long.parseLong(name.group(2)) : Long.MAX_VALUE;
        return rank > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) rank);
    }
}
