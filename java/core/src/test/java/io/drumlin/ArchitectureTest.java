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
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;

/** A format knows bytes, a storage engine knows blocks, a communicator knows ranks; only the engine joins them. */
@AnalyzeClasses(packages = "io.drumlin", importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("exhaustive")
@Tag("exhaustive")
class ArchitectureTest {

    /** Which packages of ours a package may use, itself aside. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            mayUse(""),
            mayUse("nativecore", ""),
            mayUse("format", ""),
            // A file is a source of bytes.
            mayUse("storage", "", "format", "nativecore"),
            // A rebuilt file is a source of bytes.
            mayUse("integrity", "", "format", "nativecore"),
            mayUse("comm", ""),
            // FTI's mode SIONlib; checkpoints listed in an index of SCR.
            mayUse("checkpoint", "", "format", "storage", "comm", "integrity", "sion", "scr"),
            mayUse("sion", "", "format", "storage", "comm"),
            mayUse("scr", "", "format", "storage", "comm", "integrity"),
            mayUse("gsd", "", "format", "storage", "comm"),
            // The facade takes and gives the types of the engine and its communicator.
            mayUse("fti", "", "checkpoint", "comm"));

    /** Packages below io.drumlin; the empty name is io.drumlin itself. */
    private static Map.Entry<String, Set<String>> mayUse(String name, String... used) {
        return Map.entry(full(name), Stream.of(used).map(ArchitectureTest::full).collect(Collectors.toSet()));
    }

    private static String full(String name) {
        return name.isEmpty() ? "io.drumlin" : "io.drumlin." + name;
    }

    @ArchTest
    static void packagesUseOnlyWhatTheyMay(JavaClasses ours) {
        MAY_USE.forEach((name, used) -> {
            String[] forbidden = MAY_USE.keySet().stream()
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
        String[] known =
                MAY_USE.keySet().stream().map(ArchitectureTest::pattern).toArray(String[]::new);
        classes().should().resideInAnyPackage(known).check(ours);
    }

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            SlicesRuleDefinition.slices().matching("io.drumlin.(**)").should().beFreeOfCycles();

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
            .haveNameNotMatching("io\\.drumlin\\.storage\\.Libc.*")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.sun.jna..");

    @ArchTest
    static final ArchRule nativeMethodsAreAtTheBoundary = methods()
            .that()
            .haveModifier(JavaModifier.NATIVE)
            .should()
            .beDeclaredInClassesThat(resideInAPackage("io.drumlin.nativecore..")
                    .or(JavaClass.Predicates.equivalentTo(classNamed("io.drumlin.storage.Libc"))));

    @ArchTest
    static final ArchRule coreNeedsNothingElse = noClasses()
            .should()
            .dependOnClassesThat(not(resideInAnyPackage(
                    "java..",
                    "io.drumlin..",
                    "org.jspecify..",
                    "org.bytedeco..",
                    "com.sun.jna..",
                    "com.sun.management..")));

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

    /** The package alone for the root, with all below it for the others. */
    private static String pattern(String name) {
        return name.equals("io.drumlin") ? name : name + "..";
    }

    private static Class<?> classNamed(String name) {
        try {
            return Class.forName(name, false, ArchitectureTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
