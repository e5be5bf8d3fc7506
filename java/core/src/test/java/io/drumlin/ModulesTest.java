package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/**
 * The descriptors of the modules. The tests run on the class path, where nobody looks at them, so that what they leave
 * out is found here. {@code ci/stranger} runs a program on the module path.
 */
@AnalyzeClasses(packages = "io.drumlin", importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("exhaustive")
@Tag("exhaustive")
class ModulesTest {

    /** Packages that are exported to modules of ours only, if at all. */
    private static final Predicate<String> INTERNAL = Pattern.compile(
                    "\\.(internal|nativecore|integrity|format\\.(fti|ftiff|kvtree))\\b")
            .asPredicate();

    private static final List<String> OF_CORE = List.of("base", "formats", "sion", "gsd", "scr", "checkpoint");

    private static final List<String> ALL = Stream.concat(OF_CORE.stream(), Stream.of("core", "hdf5", "mpi", "cli"))
            .toList();

    /** It may become smaller, not larger. */
    private static final int MOST_TYPES = 96;

    @ArchTest
    static void coreExportsAllPackagesButTheInternalOnes(JavaClasses ours) throws IOException {
        Set<String> api = ours.stream()
                .map(JavaClass::getPackageName)
                .filter(INTERNAL.negate())
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> exported = new ArrayList<>();
        for (String module : OF_CORE) {
            statements(module, "exports ([a-z.0-9]+);").forEach(found -> exported.add(found.group(1)));
        }
        assertThat(exported).containsExactlyInAnyOrderElementsOf(api);
    }

    @ArchTest
    static void theApiIsSmall(JavaClasses ours) {
        assertThat(ours.stream()
                        .filter(each -> !INTERNAL.test(each.getPackageName()) && isPublic(each))
                        .filter(JavaClass::isTopLevelClass))
                .hasSize(MOST_TYPES);
    }

    @ArchTest
    static void theFirstPageOfTheApiIsShort(JavaClasses ours) {
        assertThat(ours.get("io.drumlin.checkpoint.Checkpoints").getMethods().stream()
                        .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC)
                                && !each.getModifiers().contains(JavaModifier.SYNTHETIC)))
                .as("methods of Checkpoints: what only calls of C FTI need belongs to FtiCheckpoints")
                .hasSizeLessThanOrEqualTo(42);
    }

    @ArchTest
    static void noOtherProgramGetsInternalPackages(JavaClasses ours) throws IOException {
        for (String module : ALL) {
            assertThat(statements(module, "exports [^;]* to ([^;]*);")
                            .flatMap(found -> Stream.of(found.group(1).split(","))))
                    .as(module)
                    .allMatch(target -> target.strip().startsWith("io.drumlin."));
        }
    }

    /** Without them a program on the class path finds nothing that the module path finds, and the other way round. */
    @ArchTest
    static void servicesAreTheSameOnBothPaths(JavaClasses ours) throws IOException {
        for (String module : ALL) {
            List<String> provided = statements(module, "provides (\\S+) with (\\S+);")
                    .map(found -> found.group(1) + " " + found.group(2))
                    .toList();
            assertThat(provided).as(module).hasSameElementsAs(services(module));
        }
    }

    /** The compiler's own check of this also wants each user to have JSpecify, so it is off. */
    @ArchTest
    static void theApiShowsNoInternalTypes(JavaClasses ours) {
        Set<String> shown = new TreeSet<>();
        ours.stream()
                .filter(each -> !INTERNAL.test(each.getPackageName()) && isPublic(each))
                .flatMap(each -> each.getMembers().stream())
                .filter(ModulesTest::isVisible)
                .forEach(member -> types(member)
                        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                        .filter(shows -> INTERNAL.test(shows.getName())
                                || shows.getName().startsWith("com.sun.jna"))
                        .forEach(shows ->
                                shown.add(member.getOwner().getSimpleName() + " shows " + shows.getSimpleName())));
        assertThat(shown).isEmpty();
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ModulesTest::isPublic).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> types(JavaMember member) {
        return member instanceof JavaCodeUnit code
                ? Stream.concat(Stream.of(code.getReturnType()), code.getParameterTypes().stream())
                : Stream.of(((JavaField) member).getType());
    }

    private static Stream<MatchResult> statements(String module, String pattern) throws IOException {
        String text = Files.readString(sources(module).resolve("java/module-info.java"));
        return Pattern.compile(pattern).matcher(text.replaceAll("\\s+", " ")).results();
    }

    private static List<String> services(String module) throws IOException {
        Path folder = sources(module).resolve("resources/META-INF/services");
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName() + " " + content(file)).toList();
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path sources(String module) {
        return Path.of(System.getProperty("drumlin.root"), "java", module, "src/main");
    }
}
