package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys {@code h5_single_file_...} of the configuration.
 *
 * @param enable whether there are shared files
 * @param directory directory of the shared files of all runs
 * @param prefix prefix of their names
 * @param keep whether a file is kept after the run has written the next one
 * @param inline whether in C FTI the application ranks, and not the heads, would write the file
 */
public record SingleFileConfig(boolean enable, Path directory, String prefix, boolean keep, boolean inline) {

    static SingleFileConfig read(ConfigValues values, Path workingDirectory, Path glblDir, int heads)
            throws DrumlinException {
        boolean inline = values.bool("basic", "h5_single_file_inline", true);
        if (!inline && heads == 0) {
            throw values.refused("basic", "h5_single_file_inline", "1 while head = 0");
        }
        boolean apart = !values.get("basic", "h5_single_file_dir").orElse("").isEmpty();
        Optional<String> given = values.text("basic", "h5_single_file_prefix");
        String prefix = given.isPresent()
                ? values.path("basic", "h5_single_file_prefix").toString()
                : "VPR-h5";
        if (given.orElse("").indexOf('/') >= 0) {
            throw values.refused("basic", "h5_single_file_prefix", "the beginning of a file's name, without slashes");
        }
        return new SingleFileConfig(
                values.bool("basic", "h5_single_file_enable", false),
                apart ? workingDirectory.resolve(values.directory("h5_single_file_dir")) : glblDir,
                prefix,
                values.bool("basic", "h5_single_file_keep", false),
                inline);
    }

    /** Returns the path of a checkpoint's file. */
    public Path file(int ckptId) {
        return directory.resolve(String.format(Locale.ROOT, "%s-ID%08d.%s", prefix, ckptId, FileNames.HDF5));
    }

    /** Returns the path of a run's file until it is whole. Other runs may write their files at the same time. */
    public Path unfinished(String execId) {
        return directory.resolve(prefix + "-" + execId + "." + FileNames.HDF5 + ".tmp");
    }

    /** Returns the checkpoint id in a file's name; -1 if it is not a shared file. */
    public int ckptId(Path file) {
        Matcher name = Pattern.compile(Pattern.quote(prefix) + "-ID(\\d{8,10})\\." + FileNames.HDF5)
                .matcher(file.getFileName().toString());
        long id = name.matches() ? Long.parseLong(name.group(1)) : -1;
        return id > Integer.MAX_VALUE ? -1 : (int) id;
    }
}
