package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.gsd.GsdFile;
import io.drumlin.scr.SCR;
import io.drumlin.sion.SionFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No class is needed by what it needs, but in families that are read together. Nested classes count as part of the one around them. */
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
                    "LibcEngine LibcFile StorageEngines",
                    "Arguments ArrayBytes Communicator Exchange Reduction SumOfLowerRanks",
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

    @Test
    void circlesAreKnown() throws Exception {
        List<Set<String>> circles =
                circles(arrows()).stream().map(ClassCyclesTest::simpleNames).toList();
        assertThat(circles).containsExactlyInAnyOrderElementsOf(KNOWN);
    }

    /** What each class of ours uses of ours, by jdeps: it sees sealed families and generic types, too. */
    private static Map<String, Set<String>> arrows() throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("-v", "--ignore-missing-deps", "--multi-release", "base", "-e", "io\\.drumlin\\..*"));
        for (Class<?> ofModule : List.of(
                DrumlinException.class, KvTree.class, SionFile.class, GsdFile.class, SCR.class, Checkpoints.class)) {
            arguments.add(Path.of(ofModule.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        StringWriter text = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        int status = jdeps.run(new PrintWriter(text), new PrintWriter(text), arguments.toArray(String[]::new));
        assertThat(status).as(text.toString()).isZero();
        Map<String, Set<String>> arrows = new TreeMap<>();
        Matcher line = Pattern.compile("(?m)^\\s+(io\\.drumlin\\.\\S+)\\s+-> (io\\.drumlin\\.\\S+)")
                .matcher(text.toString());
        while (line.find()) {
            String from = outermost(line.group(1));
            String to = outermost(line.group(2));
            Set<String> used = arrows.computeIfAbsent(from, name -> new TreeSet<>());
            if (!to.equals(from)) {
                used.add(to);
            }
        }
        assertThat(arrows).hasSizeGreaterThan(300);
        return arrows;
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

    private static String outermost(String name) {
        return name.replaceFirst("\\$.*", "");
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
