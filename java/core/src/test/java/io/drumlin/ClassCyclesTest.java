package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No class of any module is needed by what it needs, but in families that are read together, and no package at all. Nested classes
 * count as part of the one around them.
 */
@Tag("exhaustive")
class ClassCyclesTest {

    /** The circles that there are. The list may become shorter, not longer. */
    private static final Set<Set<String>> KNOWN = Stream.of(
                    // A sealed family and what makes its members.
                    "CompositeType DataType ElementType OpaqueType",
                    "ArrayType CompoundType Datatype DatatypeWriter ScalarType",
                    "HeaderWriter NewDataset NewDatatype NewGroup NewObject",
                    // An interface that gives its best implementation, or implements calls by others.
                    "DigestEngine JavaMd5Lanes NativeMd5Lanes",
                    "Gf16Engine JavaGf16Regions NativeGf16Regions",
                    "LibcEngine LibcFile",
                    "Arguments ArrayBytes Communicator Exchange Reduction SumOfLowerRanks",
                    "Allocation Call FarMessages FileOperation Step",
                    // A record and its reader or writer.
                    "EmptyFile GsdIndex GsdMetadata Header IndexEntry NameList",
                    "Definition FileFields GroupMetadata GroupMetadataReader NumberedFields",
                    "BlockMeta ContainerRecords Digests Layout",
                    "FtiFfFile MetadataReader Recognition",
                    "ArrayMap Keys KvTree",
                    "KvTreeFile Packer Unpacker",
                    "DcpFile DcpFileReader",
                    "MetaReader SionMeta",
                    "DatasetMetadata RankFiles",
                    "CheckpointDescriptor ScrSettings",
                    "CallSequence Manifest ValueRule",
                    // What is told a total of what it was told; what is written of a run, and read again.
                    "DiffReport DiffSummary",
                    "LaunchLog LaunchedRun",
                    // The cases of a format, and what is done with one.
                    "FtiFfCases Rewriter SnapshotComparison",
                    "Rewriter SionCases",
                    // Two processes of one program; the nodes of a job, and how they are found.
                    "LibraryProcess LibraryServer NativeHdf5Library",
                    "JobCommand KnownNodes NodePool",
                    "WatchedFileSystem WatchedFileSystemProvider WatchedPath",
                    // What is opened, and what it opened; what programs see of the engine, and how it is found.
                    "Chunk Frame GsdFile",
                    "HoomdSlice HoomdTrajectory",
                    "NativeAlignedBuffer NativeFile",
                    "Redundancy RedundancyTransfer",
                    "Communicators EndOfMain",
                    "Callback FTI StageRequests",
                    "Checkpoints CheckpointsProvider HeadCallback RunCatalogue RunSurvey")
            .map(names -> Set.of(names.split(" ")))
            .collect(Collectors.toSet());

    private static final int MOST_CLASSES_OF_A_CIRCLE = 6;

    @Test
    void circlesAreKnown() {
        Map<String, Set<String>> arrows = arrows();
        assertThat(arrows).hasSizeGreaterThan(900);
        assertThat(circles(arrows).stream().map(ClassCyclesTest::simpleNames))
                .containsExactlyInAnyOrderElementsOf(KNOWN)
                .allMatch(circle -> circle.size() <= MOST_CLASSES_OF_A_CIRCLE);
    }

    @Test
    void packagesFormNoCircle() {
        Map<String, Set<String>> packages = new TreeMap<>();
        arrows().forEach((name, used) -> {
            Set<String> others = packages.computeIfAbsent(packageOf(name), each -> new TreeSet<>());
            used.forEach(each -> others.add(packageOf(each)));
        });
        packages.forEach((name, used) -> used.remove(name));
        assertThat(circles(packages)).isEmpty();
    }

    /** Returns which classes of ours each class of ours uses, in all modules. */
    private static Map<String, Set<String>> arrows() {
        Map<String, SourceFile> files =
                SourceFile.all().stream().collect(Collectors.toMap(SourceFile::name, Function.identity()));
        Map<String, Set<String>> arrows = new TreeMap<>();
        files.forEach((name, file) -> arrows.put(name, file.uses(files.keySet())));
        return arrows;
    }

    /** A package and the {@code internal} of it count as one: each needs the other. */
    private static String packageOf(String name) {
        return name.substring(0, name.lastIndexOf('.')).replaceFirst("\\.internal$", "");
    }

    @Test
    void seesWhatAClassUses() {
        SourceFile file = SourceFile.of(
                "m",
                "A",
                """
                package io.drumlin.p;

                import io.drumlin.q.B.Nested;
                import static io.drumlin.q.C.of;
                import java.util.Z;

                /** {@link Unused} */
                record A(Same same, Z other, Z.Same second, Mine mine) extends io.drumlin.r.D<Nested> {
                    String text = of("Unused " + '"'); // Unused
                    record Mine() {}
                }
                """);
        Set<String> ours = Set.of(
                "io.drumlin.p.A",
                "io.drumlin.p.Same",
                "io.drumlin.p.Unused",
                "io.drumlin.p.Mine",
                "io.drumlin.p.Z",
                "io.drumlin.q.B",
                "io.drumlin.q.C",
                "io.drumlin.r.D");
        assertThat(file.uses(ours))
                .containsExactlyInAnyOrder("io.drumlin.p.Same", "io.drumlin.q.B", "io.drumlin.q.C", "io.drumlin.r.D");
    }

    @Test
    void findsCircles() {
        Map<String, Set<String>> arrows = Map.of(
                "a",
                Set.of("b", "d"),
                "b",
                Set.of("c"),
                "c",
                Set.of("a"),
                "d",
                Set.of("e"),
                "e",
                Set.of(),
                "f",
                Set.of("a"));
        assertThat(circles(arrows)).containsExactly(Set.of("a", "b", "c"));
    }

    private static Set<String> simpleNames(Set<String> names) {
        Set<String> simple = new TreeSet<>();
        names.forEach(name -> simple.add(name.substring(name.lastIndexOf('.') + 1)));
        return simple;
    }

    /** The sets of more than one node each of which leads to each other one. */
    private static Collection<Set<String>> circles(Map<String, Set<String>> arrows) {
        Map<String, Set<String>> reached = new HashMap<>();
        arrows.keySet().forEach(node -> reached.put(node, reachedFrom(node, arrows)));
        Set<Set<String>> circles = new LinkedHashSet<>();
        for (String node : arrows.keySet()) {
            Set<String> circle = new TreeSet<>();
            reached.get(node).stream()
                    .filter(other -> reached.getOrDefault(other, Set.of()).contains(node))
                    .forEach(circle::add);
            if (circle.size() > 1) {
                circles.add(circle);
            }
        }
        return circles;
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> arrows) {
        Set<String> reached = new TreeSet<>();
        Deque<String> waiting = new ArrayDeque<>(arrows.get(start));
        while (!waiting.isEmpty()) {
            String next = waiting.pop();
            if (reached.add(next)) {
                waiting.addAll(arrows.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }
}
