package io.drumlin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A source file of the main code of a module. The tests read sources, because they run before the modules that stand on core are
 * compiled.
 *
 * @param module its folder below {@code java}
 * @param code its text without comments
 */
record SourceFile(String module, String packageName, String simpleName, String code) {

    private static final String STRINGS = "\"\"\"[\\s\\S]*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.)*+'";
    private static final Pattern COMMENT = Pattern.compile(STRINGS + "|/\\*[\\s\\S]*?\\*/|//[^\\n]*");
    private static final Pattern STRING = Pattern.compile(STRINGS);
    private static final Pattern IN_FULL = Pattern.compile("(?<![\\w.])io\\.drumlin\\.(?:[a-z0-9]+\\.)*[A-Z]\\w*");
    private static final Pattern IMPORTED =
            Pattern.compile("(?m)^import (?:static )?((?:[a-z]\\w*\\.)+[A-Z]\\w*)([\\w.]*);");
    private static final Pattern NO_BODY = Pattern.compile("(?m)^(?:import|package) .*");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|record|interface|enum) (\\w+)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Za-z]\\w*");

    private static final List<SourceFile> ALL = read();

    /** Returns those of all modules, the descriptors aside. */
    static List<SourceFile> all() {
        return ALL;
    }

    private static List<SourceFile> read() {
        Path modules = Path.of(System.getProperty("drumlin.root"), "java");
        try (Stream<Path> found = Files.find(modules, 40, (path, attributes) -> isMain(modules.relativize(path)))) {
            return found.sorted()
                    .map(file -> of(modules.relativize(file).getName(0).toString(), file))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isMain(Path path) {
        return path.getNameCount() > 4
                && path.subpath(1, 4).equals(Path.of("src", "main", "java"))
                && path.toString().endsWith(".java")
                && !path.endsWith("module-info.java");
    }

    private static SourceFile of(String module, Path file) {
        try {
            return of(module, file.getFileName().toString().replace(".java", ""), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SourceFile of(String module, String simpleName, String text) {
        String code = COMMENT.matcher(text)
                .replaceAll(found -> found.group().startsWith("/") ? "" : Matcher.quoteReplacement(found.group()));
        String packageName = code.replaceFirst("[\\s\\S]*?(?m)^package ([\\w.]+);[\\s\\S]*", "$1");
        return new SourceFile(module, packageName, simpleName, code);
    }

    String name() {
        return packageName + "." + simpleName;
    }

    /** Returns the lines with code. */
    int lines() {
        return (int) code.lines().filter(line -> !line.isBlank()).count();
    }

    /** Returns which of these classes this one names, in full or as one that it imports or that is in its package. */
    Set<String> uses(Set<String> classes) {
        String text = STRING.matcher(code).replaceAll("\"\"");
        Map<String, String> names = new HashMap<>();
        IMPORTED.matcher(text)
                .results()
                .forEach(found -> names.put(lastOf(found.group(1) + found.group(2)), found.group(1)));
        DECLARED.matcher(text).results().forEach(found -> names.put(found.group(1), name()));
        String body = NO_BODY.matcher(text).replaceAll("");
        Set<String> used = new TreeSet<>();
        IN_FULL.matcher(body).results().forEach(found -> used.add(found.group()));
        NAME.matcher(body)
                .results()
                .forEach(found -> used.add(names.getOrDefault(found.group(), packageName + "." + found.group())));
        used.retainAll(classes);
        used.remove(name());
        return used;
    }

    private static String lastOf(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
