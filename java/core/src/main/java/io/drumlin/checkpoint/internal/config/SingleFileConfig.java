package io.drumlin.checkpoint.internal.config;

import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys {@code h5_single_file_...} of the configuration.
 *
 * @param enable whether there are shared files
 * @param directory in which they are, of all runs
 * @param prefix how their names begin
 * @param keep whether a file stays when the run has written the next
 * @param inline whether C FTI would write the file itself, and not its heads
 */
public record SingleFileConfig(boolean enable, Path directory, String prefix, boolean keep, boolean inline) {

    /** Where the file of a checkpoint is. */
    public Path file(int ckptId) {
        return directory.resolve(String.format(Locale.ROOT, "%s-ID%08d.%s", prefix, ckptId, FileNames.HDF5));
    }

    /** Where a file of a run is until it is whole. Other runs may write theirs at the same time. */
    public Path unfinished(String execId) {
        return directory.resolve(prefix + "-" + execId + "." + FileNames.HDF5 + ".tmp");
    }

    /** The checkpoint whose file has a name; -1 if it is no such file. */
    public int ckptId(Path file) {
        Matcher name = Pattern.compile(Pattern.quote(prefix) + "-ID(\\d{8,10})\\." + FileNames.HDF5)
                .matcher(file.getFileName().toString());
        long id = name.matches() ? Long.parseLong(name.group(1)) : -1;
        return id > Integer.MAX_VALUE ? -1 : (int) id;
    }
}
