package io.drumlin;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;

/**
 * A format knows bytes, a storage engine knows blocks, a communicator knows ranks; only the engine joins them. The engine
 * itself is in rooms (docs/adr/023-the-engine-in-rooms.md).
 */
@AnalyzeClasses(packages = "io.drumlin", importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("exhaustive")
@Tag("exhaustive")
class ArchitectureTest {

    private static final String ROOMS = "io.drumlin.checkpoint.internal";

    /** What the descriptors of these modules say of what they use is all that there is to say. */
    private static final List<String> MODULES_OF_ONE_FORMAT =
            List.of("io.drumlin.sion", "io.drumlin.gsd", "io.drumlin.scr");

    /**
     * Which packages of ours a package may use, itself aside, by docs/architecture.md. Not in a constant: Surefire loads the class
     * where the properties of the tests are not set yet.
     */
    private static Map<String, Set<String>> mayUse() {
        Map<String, Set<String>> mayUse = new LinkedHashMap<>();
        mayUse.put("io.drumlin", Set.of("io.drumlin.internal"));
        Map<String, List<String>> table = table("package of `io.drumlin`");
        table.forEach((name, used) -> {
            Set<String> full = used.stream().map(each -> "io.drumlin." + each).collect(Collectors.toSet());
            full.add("io.drumlin");
            full.add("io.drumlin.internal");
            mayUse.put("io.drumlin." + name, full);
        });
        Set<String> outside = mayUse.remove(ROOMS);
        Map<String, List<String>> rooms = table("room");
        Set<String> above = new HashSet<>();
        rooms.forEach((name, used) -> {
            assertThat(above).as("rooms above " + name + " in the table").containsAll(used);
            above.add(name);
            Set<String> full = used.stream().map(each -> ROOMS + "." + each).collect(Collectors.toSet());
            full.addAll(outside);
            mayUse.put(ROOMS + "." + name, full);
        });
        return mayUse;
    }

    /** The first and the last column of a table of docs/architecture.md: names between backquotes. */
    private static Map<String, List<String>> table(String firstColumn) {
        Pattern name = Pattern.compile("`([a-z.0-9]+)`");
        Map<String, List<String>> rows = new LinkedHashMap<>();
        boolean inside = false;
        for (String line : page()) {
            if (line.startsWith("| " + firstColumn + " |")) {
                inside = true;
            } else if (inside && !line.startsWith("|")) {
                break;
            } else if (inside && line.startsWith("| `")) {
                String[] cells = line.split("\\|");
                rows.put(
                        name.matcher(cells[1])
                                .results()
                                .findFirst()
                                .orElseThrow()
                                .group(1),
                        name.matcher(cells[3])
                                .results()
                                .map(found -> found.group(1))
                                .toList());
            }
        }
        assertThat(rows).as("rows of the table " + firstColumn).hasSizeGreaterThan(5);
        return rows;
    }

    private static List<String> page() {
        try {
            return Files.readAllLines(Path.of(System.getProperty("drumlin.root"), "docs", "architecture.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ArchTest
    static void packagesUseOnlyWhatTheyMay(JavaClasses ours) {
        Map<String, Set<String>> mayUse = mayUse();
        mayUse.forEach((name, used) -> {
            String[] forbidden = mayUse.keySet().stream()
                    .filter(other -> !other.equals(name) && !used.contains(other))
                    .map(ArchitectureTest::pattern)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(pattern(name))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(forbidden))
                    .check(ours);
        });
    }

    @ArchTest
    static void everyPackageIsInTheTable(JavaClasses ours) {
        String[] known = Stream.concat(mayUse().keySet().stream(), MODULES_OF_ONE_FORMAT.stream())
                .map(ArchitectureTest::pattern)
                .toArray(String[]::new);
        classes().should().resideInAnyPackage(known).check(ours);
    }

    @ArchTest
    static final ArchRule formatsKnowNoFilesThreadsOrSettings = noClasses()
            .that()
            .resideInAPackage("io.drumlin.format..")
            .should()
            .dependOnClassesThat()
            .haveNameMatching("java\\.nio\\.file\\.Files|java\\.nio\\.file\\.FileSystem.*|java\\.nio\\.channels\\..*"
                    + "|java\\.io\\.(File|RandomAccess).*|java\\.lang\\.(Thread|Process).*"
                    + "|java\\.util\\.concurrent\\..*|java\\.util\\.(Random|Timer|Date|Calendar)|java\\.time\\..*")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "getProperty", String.class)
            .orShould()
            .callMethod(System.class, "getenv", String.class);

    @ArchTest
    static final ArchRule onlyNativecoreKnowsJavaCpp = noClasses()
            .that()
            .resideOutsideOfPackage("io.drumlin.nativecore..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.bytedeco..");

    @ArchTest
    static final ArchRule onlyTheLibcEngineKnowsJna = noClasses()
            .that()
            .haveNameNotMatching("io\\.drumlin\\.storage\\.internal\\.Libc.*")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.sun.jna..");

    @ArchTest
    static final ArchRule nativeMethodsAreAtTheBoundary = methods()
            .that()
            .haveModifier(JavaModifier.NATIVE)
            .should()
            .beDeclaredInClassesThat(resideInAPackage("io.drumlin.nativecore..")
                    .or(JavaClass.Predicates.equivalentTo(classNamed("io.drumlin.storage.internal.Libc"))));

    @ArchTest
    static final ArchRule coreNeedsNothingElse = noClasses()
            .should()
            .dependOnClassesThat(not(resideInAnyPackage(
                    "java..",
                    "io.drumlin..",
                    "org.jspecify..",
                    "org.bytedeco..",
                    "com.sun.jna..",
                    "com.sun.management..",
                    "jdk.jfr..")));

    /** But for the FTI facade, whose lines on standard output are part of what C FTI's users rely on. */
    @ArchTest
    static final ArchRule nobodyPrints = noClasses()
            .that()
            .resideOutsideOfPackage("io.drumlin.fti")
            .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS);

    @ArchTest
    static void packagesSayWhatMayBeNull(JavaClasses ours) {
        assertThat(ours.stream().map(JavaClass::getPackage).distinct())
                .isNotEmpty()
                .allMatch(each -> each.isAnnotatedWith(NullMarked.class), "is @NullMarked")
                .extracting(JavaPackage::getName)
                .contains("io.drumlin.storage");
    }

    /** Open MPI's wrapper of java takes any argument with the letters cp in it for the class path. */
    @ArchTest
    static void noPropertyHasTheLettersCp(JavaClasses ours) throws IOException {
        Pattern property = Pattern.compile("(?<!io[./])drumlin\\.[A-Za-z0-9_.]+|^--[a-z-]+");
        Set<String> names = new TreeSet<>();
        for (JavaClass each : ours) {
            for (String text : constants(each)) {
                property.matcher(text).results().forEach(found -> names.add(found.group()));
            }
        }
        assertThat(names).contains("drumlin.storage", "drumlin.native");
        assertThat(names.stream().filter(name -> name.contains("cp")).collect(Collectors.toList()))
                .isEmpty();
    }

    /** The strings in a class file's constant pool; JVM specification, section 4.4. */
    private static List<String> constants(JavaClass type) throws IOException {
        String resource = type.getName().replace('.', '/') + ".class";
        List<String> strings = new ArrayList<>();
        try (InputStream stream = DrumlinException.class.getClassLoader().getResourceAsStream(resource);
                DataInputStream file = new DataInputStream(stream)) {
            file.skipNBytes(8);
            int count = file.readUnsignedShort();
            for (int index = 1; index < count; index++) {
                int tag = file.readUnsignedByte();
                switch (tag) {
                    case 1 -> strings.add(file.readUTF());
                    case 7, 8, 16, 19, 20 -> file.skipNBytes(2);
                    case 15 -> file.skipNBytes(3);
                    case 3, 4, 9, 10, 11, 12, 17, 18 -> file.skipNBytes(4);
                    case 5, 6 -> {
                        file.skipNBytes(8);
                        index++;
                    }
                    default -> throw new IOException("unknown constant " + tag + " in " + resource);
                }
            }
        }
        return strings;
    }

    /** The package alone for those that have others of the table below them, with all below it for the rest. */
    private static String pattern(String name) {
        return name.equals("io.drumlin") || name.equals("io.drumlin.checkpoint") ? name : name + "..";
    }

    private static Class<?> classNamed(String name) {
        try {
            return Class.forName(name, false, ArchitectureTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** The walks of docs/architecture.md go through methods that exist. */
    @ArchTest
    static void theWalksAreThere(JavaClasses classes) throws IOException {
        String text = Files.readString(Path.of(System.getProperty("drumlin.root"), "docs", "architecture.md"));
        String walks = text.substring(text.indexOf("## Two walks"), text.indexOf("## An end"));
        Set<String> methods = classes.stream()
                .flatMap(type -> type.getMethods().stream())
                .map(method -> method.getOwner().getSimpleName() + "." + method.getName())
                .collect(Collectors.toSet());
        List<String> named = Pattern.compile("`(\\w+\\.\\w+)`")
                .matcher(walks)
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(methods).as("methods of docs/architecture.md").containsAll(named);
    }
}
