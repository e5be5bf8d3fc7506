package io.drumlin.golden.fti;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The path of a metadata file, which says whose data are where.
 *
 * @param path relative to the case
 * @param level 1 to 4
 * @param archived whether it is in the archive of level 4
 * @param sector number of the sector
 * @param group number of the group in the sector
 */
record MetadataPath(String path, int level, boolean archived, int sector, int group) {

    private static final Pattern PATH =
            Pattern.compile("(?:l([1-4])|l4_archive/Ckpt_-?\\d+)/sector(\\d+)-group(\\d+)\\.fti");

    /** Null if the path is not that of a metadata file. */
    static @Nullable MetadataPath of(RunDirectories directories, String path) {
        String root = directories.metadata("") + "/";
        Matcher matcher = PATH.matcher(path.startsWith(root) ? path.substring(root.length()) : "");
        if (!matcher.matches()) {
            return null;
        }
        boolean archived = matcher.group(1) == null;
        return new MetadataPath(
                path,
                archived ? 4 : Integer.parseInt(matcher.group(1)),
                archived,
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    String data(RunDirectories directories, Place member, String name) {
        return directories.data(level, archived, member.mpiRank(), name);
    }
}
