package io.drumlin.nativecore;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loads one library of the C core and its JNI glue. It uses no locks and touches a shared file system no more than
 * needed, because every rank of a job does this at the same moment.
 *
 * <p>It looks for two files, {@code lib<name>.so} and {@code libjni<name>.so}. If there are several builds of a
 * library, it looks for the first everywhere before the second. The places are
 *
 * <ol>
 *   <li>in the folder that the system property {@value #DIRECTORY_PROPERTY} or the environment variable
 *       {@value #DIRECTORY_VARIABLE} names, and then nowhere else;
 *   <li>in the folders of {@code java.library.path};
 *   <li>on the class path or the module path, from which they are copied into a private folder of the node's own disk
 *       ({@code SLURM_TMPDIR}, {@code TMPDIR}, {@code java.io.tmpdir}), once per content.
 * </ol>
 *
 * <p>A log warning names libraries that exist but do not fit, because they have another version or are for another
 * system. Without them programs work, but more slowly than the person who installed them expects.
 *
 * <p>JavaCPP's own loader and its cache in the home folder are not used. The glue is linked with {@code
 * jni_exports.map}, which hides the symbols that would call them. Thread-safe.
 */
public final class NativeLibrary {

    /** The system property that names the one folder to load from. */
    public static final String DIRECTORY_PROPERTY = "drumlin.native.dir";

    /** The environment variable that names the one folder to load from, if the system property does not. */
    public static final String DIRECTORY_VARIABLE = "DRUMLIN_NATIVE_DIR";

    /** The system property that, with the value {@code off}, forbids all native code. */
    public static final String SWITCH_PROPERTY = "drumlin.native";

    private static final System.Logger LOG = System.getLogger(NativeLibrary.class.getName());
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");

    private final String name;
    private final List<Build> builds;
    private final Class<?> binding;
    private final List<String> tried = new ArrayList<>();

    /** The name of the build that was loaded. */
    private String loaded = "";

    /** Whether files of the name exist that cannot be loaded. */
    private boolean found;

    /**
     * One of several builds of a library. All have the same functions and share their glue.
     *
     * @param name the part of the file name between {@code lib} and {@code .so}
     * @param before receives the path of the file before the JVM loads it; if it throws an
     *     {@link UnsatisfiedLinkError}, the file is not loaded
     */
    public record Build(String name, Consumer<String> before) {}

    private NativeLibrary(String name, List<Build> builds, Class<?> binding) {
        this.name = name;
        this.builds = builds;
        this.binding = binding;
    }

    /**
     * Loads a library and its glue, and compares the ABI.
     *
     * @param name the part of the file name between {@code lib} and {@code .so}, for example {@code drumlin_core}
     * @param binding the class with the native methods, from the class loader of this class, which also finds the
     *     bundled copy
     * @param abi the ABI for which the binding was written
     * @param actualAbi asks the loaded library for its ABI
     * @return {@code null} if the binding can be used; otherwise the reason, with a message that lists everything that
     *     was tried. The outcome is final for this process, so the caller should keep it
     */
    public static @Nullable Throwable load(String name, Class<?> binding, int abi, IntSupplier actualAbi) {
        return load(name, List.of(new Build(name, path -> {})), binding, abi, actualAbi);
    }

    /**
     * Loads one of several builds of a library and its glue, and compares the ABI.
     *
     * @param name the part of the file name between {@code libjni} and {@code .so}
     * @param builds the builds in the order in which they are tried
     * @param binding the class with the native methods
     * @param abi the ABI for which the binding was written
     * @param actualAbi asks the loaded library for its ABI
     * @return {@code null} if the binding can be used; otherwise the reason
     */
    public static @Nullable Throwable load(
            String name, List<Build> builds, Class<?> binding, int abi, IntSupplier actualAbi) {
        if (switchedOff()) {
            return switchedOffCause();
        }
        NativeLibrary library = new NativeLibrary(name, builds, binding);
        try {
            String place = library.loadFromAnywhere();
            library.found = true;
            int actual = actualAbi.getAsInt();
            if (actual != abi) {
                throw new UnsatisfiedLinkError("lib" + library.loaded + " from " + place + " has ABI " + actual
                        + ", these classes need " + abi + "; install the libraries and jars of one version");
            }
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "lib{0} loaded from {1}; tried before: {2}",
                    library.loaded,
                    place,
                    library.tried);
            return null;
        } catch (IllegalCallerException e) {
            return new UnsupportedOperationException(
                    "this JVM denies native access; add " + accessOption(binding)
                            + " to its options, for example in JDK_JAVA_OPTIONS",
                    e);
        } catch (LinkageError e) {
            if (library.found) {
                LOG.log(System.Logger.Level.WARNING, "native code that was found is not used: {0}", e.getMessage());
            }
            return e;
        }
    }

    /**
     * Returns whether the user forbids native code.
     *
     * @return true with {@code -Ddrumlin.native=off}
     */
    public static boolean switchedOff() {
        return "off".equals(System.getProperty(SWITCH_PROPERTY));
    }

    static Throwable switchedOffCause() {
        return new UnsupportedOperationException("native code is switched off by -D" + SWITCH_PROPERTY + "=off");
    }

    /** The option that allows native access to this class, which loads libraries, and to the class that calls them. */
    private static String accessOption(Class<?> binding) {
        return Stream.of(NativeLibrary.class, binding)
                .map(each -> each.getModule().isNamed() ? each.getModule().getName() : "ALL-UNNAMED")
                .distinct()
                .collect(Collectors.joining(",", "--enable-native-access=", ""));
    }

    private String loadFromAnywhere() {
        String property = System.getProperty(DIRECTORY_PROPERTY);
        String folder = property != null ? property : System.getenv(DIRECTORY_VARIABLE);
        if (folder != null && !folder.isEmpty()) {
            String source = property != null ? "-D" + DIRECTORY_PROPERTY : DIRECTORY_VARIABLE;
            Path named = pathOf(source, folder);
            for (Build build : builds) {
                if (named != null && loadFromFolder(build, named, source)) {
                    return folder;
                }
            }
            throw failure("nothing else is tried when " + source + " is set; build the libraries with"
                    + " scripts/install, or unset it");
        }
        String place = null;
        for (int i = 0; i < builds.size() && place == null; i++) {
            place = loadFromLibraryPath(builds.get(i));
            place = place == null ? loadBundled(builds.get(i)) : place;
        }
        if (place == null) {
            throw failure("install the libraries with scripts/install and name their folder with -D"
                    + DIRECTORY_PROPERTY + ", or put the jar " + jar() + "-VERSION-" + platform()
                    + " on the class path or the module path");
        }
        return place;
    }

    /** The artifact that has the library: that of the module with the binding. */
    private String jar() {
        return name.equals("drumlin_core") ? "drumlin-base" : name.replace('_', '-');
    }

    private @Nullable String loadFromLibraryPath(Build build) {
        String path = System.getProperty("java.library.path", "");
        for (String folder : new LinkedHashSet<>(List.of(path.split(File.pathSeparator)))) {
            Path named = folder.isEmpty() ? null : pathOf("java.library.path", folder);
            if (named != null
                    && Files.exists(named.resolve(fileNames(build).get(0)))
                    && loadFromFolder(build, named, "java.library.path")) {
                return folder;
            }
        }
        tried.add("java.library.path: no " + fileNames(build).get(0) + " in "
                + (path.isEmpty() ? "it, which is empty" : path));
        return null;
    }

    /** Returns no path if the name has letters that the JVM's locale lacks, for example an umlaut with LC_ALL=C. */
    private @Nullable Path pathOf(String source, String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            tried.add(source + ": " + e.getMessage() + " (in this locale; LC_ALL=C.UTF-8 knows all letters)");
            return null;
        }
    }

    private boolean loadFromFolder(Build build, Path folder, String source) {
        try {
            List<Path> paths = new ArrayList<>();
            for (String file : fileNames(build)) {
                Path path = folder.resolve(file).toAbsolutePath();
                if (!Files.isReadable(path)) {
                    tried.add(source + ": there is no readable " + path);
                    return false;
                }
                paths.add(path);
            }
            build.before.accept(paths.get(0).toString());
            paths.forEach(path -> System.load(path.toString()));
            loaded = build.name;
            return true;
        } catch (UnsatisfiedLinkError e) {
            found = true;
            tried.add(source + ": " + e.getMessage());
            return false;
        }
    }

    /** Returns the library, then the glue, which needs it. */
    private List<String> fileNames(Build build) {
        return List.of("lib" + build.name + ".so", "libjni" + name + ".so");
    }

    private UnsatisfiedLinkError failure(String advice) {
        return new UnsatisfiedLinkError(
                "lib" + name + " cannot be loaded; tried: " + String.join("; ", tried) + "; " + advice);
    }

    private @Nullable String loadBundled(Build build) {
        String resources = "io/drumlin/native/" + platform() + "/";
        Map<String, byte[]> contents = new LinkedHashMap<>();
        try {
            for (String file : fileNames(build)) {
                try (InputStream in = bundled(resources + file)) {
                    if (in == null) {
                        tried.add("class path and module path: there is no " + resources + file);
                        return null;
                    }
                    contents.put(file, in.readAllBytes());
                }
            }
        } catch (IOException e) {
            tried.add("class path: " + e);
            return null;
        }
        // The folder's name has the number of the user. If the user database does not know it, all users have the name
        // "?".
        String folder = privateName(digest(contents));
        for (String disk : localDisks()) {
            Path place = pathOf("copy of the bundled library", disk + "/" + folder);
            if (place != null
                    && extract(contents, place)
                    && loadFromFolder(build, place, "copy of the bundled library")) {
                return place.toString();
            }
        }
        return null;
    }

    /** Asks the class loader, because the class would look in its own module only. */
    private @Nullable InputStream bundled(String resource) {
        ClassLoader loader = binding.getClassLoader();
        return loader == null ? null : loader.getResourceAsStream(resource);
    }

    /**
     * Returns the folders in which libraries are unpacked. They are on a disk of the node's own; a home folder is not.
     *
     * @return names from the environment and the JVM, in the order in which they are tried
     */
    public static Set<String> localDisks() {
        Set<String> disks = new LinkedHashSet<>();
        for (String variable : List.of("SLURM_TMPDIR", "TMPDIR")) {
            String disk = System.getenv(variable);
            if (disk != null && !disk.isEmpty()) {
                disks.add(disk);
            }
        }
        disks.add(System.getProperty("java.io.tmpdir"));
        return disks;
    }

    /** Returns the name of a folder of this user. */
    private static String privateName(String what) {
        return "drumlin-" + ownUid() + "-" + what;
    }

    /**
     * Makes a folder of this user on a disk of the node, or takes the one that another process has made.
     *
     * @param what end of its name
     * @return a folder that others cannot change
     * @throws IOException it is possible on none of the disks
     */
    public static Path privateFolder(String what) throws IOException {
        List<String> refusals = new ArrayList<>();
        for (String disk : localDisks()) {
            try {
                Path folder = Path.of(disk, privateName(what));
                makePrivate(folder);
                return folder;
            } catch (IOException | InvalidPathException | UnsupportedOperationException e) {
                refusals.add(e.toString());
            }
        }
        throw new IOException("no private folder on a disk of this node: " + String.join("; ", refusals));
    }

    private static void makePrivate(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
        } catch (FileAlreadyExistsException e) {
            // Another rank, or an earlier job, has made it.
        }
        requirePrivate(folder);
    }

    private boolean extract(Map<String, byte[]> contents, Path folder) {
        try {
            makePrivate(folder);
            for (Map.Entry<String, byte[]> file : contents.entrySet()) {
                extract(file.getValue(), folder.resolve(file.getKey()));
            }
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            tried.add("copy of the bundled library: " + e);
            return false;
        }
    }

    /**
     * Refuses a folder that others can change. Anybody can make a folder of that name below /tmp first, and its
     * contents would run with this user's rights.
     */
    private static void requirePrivate(Path folder) throws IOException {
        Map<String, Object> found = Files.readAttributes(folder, "unix:uid,permissions", LinkOption.NOFOLLOW_LINKS);
        boolean ours = ownUid().equals(found.get("uid"));
        if (!ours || !PRIVATE.equals(found.get("permissions"))) {
            throw new IOException(folder + " is not a folder of this user with mode 0700; remove it");
        }
    }

    private static Object ownUid() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            return "unknown";
        }
    }

    private static void extract(byte[] content, Path target) throws IOException {
        if (Files.exists(target) && Files.size(target) == content.length) {
            return;
        }
        Path temporary = Files.createTempFile(target.getParent(), "new", ".so");
        try {
            Files.write(temporary, content);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns the platform under JavaCPP's name, which the jars' classifiers use. */
    private static String platform() {
        String architecture = System.getProperty("os.arch");
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return system + "-"
                + switch (architecture) {
                    case "amd64" -> "x86_64";
                    case "aarch64" -> "arm64";
                    default -> architecture;
                };
    }

    private static String digest(Map<String, byte[]> contents) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            contents.values().forEach(digest::update);
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
