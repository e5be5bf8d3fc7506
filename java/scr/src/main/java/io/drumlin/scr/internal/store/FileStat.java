package io.drumlin.scr.internal.store;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The attributes that the system gives a file, in SCR's form (docs/formats/scr.md, section 10). */
public final class FileStat {

    private static final List<String> KEYS = List.of(
            "SIZE",
            "MODE",
            "UID",
            "GID",
            "ATIME_SECS",
            "ATIME_NSECS",
            "CTIME_SECS",
            "CTIME_NSECS",
            "MTIME_SECS",
            "MTIME_NSECS");

    /** The permissions from the lowest bit of a mode to the highest. */
    private static final List<PosixFilePermission> PERMISSIONS = List.of(
            PosixFilePermission.OTHERS_EXECUTE,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.OWNER_EXECUTE,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_READ);

    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private FileStat() {}

    public static KvTree of(Path path) throws IOException {
        try {
            Map<String, Object> attributes =
                    Files.readAttributes(path, "unix:size,mode,uid,gid,lastAccessTime,ctime,lastModifiedTime");
            KvTree tree = new KvTree();
            for (String key : List.of("SIZE", "MODE", "UID", "GID")) {
                tree.set(key, String.valueOf(attributes.get(key.toLowerCase(Locale.ROOT))));
            }
            setTime(tree, "ATIME", attributes.get("lastAccessTime"));
            setTime(tree, "CTIME", attributes.get("ctime"));
            setTime(tree, "MTIME", attributes.get("lastModifiedTime"));
            return tree;
        } catch (IOException e) {
            throw DrumlinException.during("stat")
                    .path(path)
                    .problem("no such file, or not readable")
                    .cause(e)
                    .exception();
        }
    }

    private static void setTime(KvTree tree, String key, @Nullable Object time) {
        if (time instanceof FileTime stamp) {
            Instant instant = stamp.toInstant();
            tree.set(key + "_SECS", instant.getEpochSecond());
            tree.set(key + "_NSECS", instant.getNano());
        }
    }

    /** Returns only the system attributes of a tree that may have more. */
    public static KvTree part(KvTree meta) {
        KvTree part = new KvTree();
        for (String key : KEYS) {
            KvTree values = meta.get(key);
            if (values != null) {
                part.put(key, values.copy());
            }
        }
        return part;
    }

    /** Lets only its owner read and write a file that exists. */
    static void narrow(Path path) throws IOException {
        try {
            Files.setPosixFilePermissions(path, OWNER_ONLY);
        } catch (IOException e) {
            throw IoFailures.explain("taking the file from other users before it gets new data", path, e);
        }
    }

    /** Gives a copy of a file, or a rebuilt one, the mode and the time of the original. */
    public static void restore(Path path, KvTree stat) throws IOException {
        try {
            restoreMode(path, stat);
            restoreTime(path, stat);
        } catch (IOException e) {
            throw IoFailures.explain("giving a copy the mode and the time of the original", path, e);
        }
    }

    private static void restoreMode(Path path, KvTree stat) throws IOException {
        OptionalInt mode = KvFields.integer(stat, "MODE");
        if (mode.isPresent()) {
            Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
            for (int bit = 0; bit < PERMISSIONS.size(); bit++) {
                if ((mode.getAsInt() >> bit & 1) != 0) {
                    permissions.add(PERMISSIONS.get(bit));
                }
            }
            Files.setPosixFilePermissions(path, permissions);
        }
    }

    private static void restoreTime(Path path, KvTree stat) throws IOException {
        OptionalLong seconds = KvFields.number(stat, "MTIME_SECS");
        if (seconds.isPresent()) {
            long nanos = KvFields.number(stat, "MTIME_NSECS").orElse(0);
            Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(seconds.getAsLong(), nanos)));
        }
    }
}
