package io.drumlin.storage.internal;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Checks directories that must belong to this user but lie where anybody may make some, for example below /tmp. The
 * owner of such a directory, or of a symbolic link in its place, determines what a restart reads and what is deleted.
 * Thread-safe.
 */
public final class OwnDirectory {

    private static final int ROOT = 0;

    private OwnDirectory() {}

    /**
     * Refuses a directory that another user owns, or a symbolic link of another user in its place. Root may own it. If
     * the system has no owners, there is no check.
     *
     * @param directory a directory that need not exist
     * @throws IOException it belongs to another user, or its owner cannot be read
     */
    public static void require(Path directory) throws IOException {
        Optional<Owner> found = owner(directory, LinkOption.NOFOLLOW_LINKS);
        if (found.isPresent() && found.get().ofLink) {
            refuseLink(directory, found.get());
            found = owner(directory);
        }
        if (found.isPresent() && found.get().isAnother()) {
            throw refused(directory, "it belongs to another user");
        }
    }

    /**
     * Refuses a symbolic link of another user. The directory itself may belong to a colleague, as in a project's shared
     * folder.
     *
     * @param directory a directory that need not exist
     * @throws IOException there is such a link, or its owner cannot be read
     */
    public static void requireNoLink(Path directory) throws IOException {
        Optional<Owner> found = owner(directory, LinkOption.NOFOLLOW_LINKS);
        if (found.isPresent() && found.get().ofLink) {
            refuseLink(directory, found.get());
        }
    }

    private static void refuseLink(Path link, Owner owner) throws IOException {
        if (owner.isAnother()) {
            throw refused(link, "it is a symbolic link of another user");
        }
    }

    /** The owner of a directory, or of a symbolic link. */
    private record Owner(int uid, boolean ofLink) {

        boolean isAnother() throws IOException {
            return uid != ROOT && uid != ownUid(Path.of("/proc/self"));
        }
    }

    /** @param self what belongs to this process; without it, as on macOS, a file that is made for it */
    static int ownUid(Path self) throws IOException {
        if (Files.exists(self)) {
            return (Integer) Files.getAttribute(self, "unix:uid");
        }
        Path made = Files.createTempFile("drumlin", ".owner");
        try {
            return (Integer) Files.getAttribute(made, "unix:uid");
        } finally {
            Files.delete(made);
        }
    }

    /** Returns the owner by one look at the path; empty if nothing is there or the system has no owners. */
    private static Optional<Owner> owner(Path path, LinkOption... options) throws IOException {
        try {
            Map<String, Object> found = Files.readAttributes(path, "unix:uid,isSymbolicLink", options);
            if (found.get("uid") instanceof Integer uid && found.get("isSymbolicLink") instanceof Boolean ofLink) {
                return Optional.of(new Owner(uid, ofLink));
            }
            throw new IllegalStateException("the owner of " + path + " is not told");
        } catch (NoSuchFileException | UnsupportedOperationException | IllegalArgumentException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw IoFailures.explain("stat", path, e);
        }
    }

    private static DrumlinException refused(Path directory, String problem) {
        return DrumlinException.during("using the directory")
                .path(directory)
                .problem(problem)
                .advice(
                        "whoever made it could give this program other data; use another parent directory, one that only you can"
                                + " write to. If you trust it, let its owner be the user of this program (chown)")
                .exception();
    }
}
