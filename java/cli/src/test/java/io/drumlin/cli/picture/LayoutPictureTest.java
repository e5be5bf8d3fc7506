package io.drumlin.cli.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.cli.file.FileRange;
import io.drumlin.cli.picture.PictureBoxes.Box;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class LayoutPictureTest {

    private static final double INNER_WIDTH = 1152;

    /** A rectangle of the picture and what it shows on hovering. */
    private record Drawn(String title, double x, double y, double width) {

        boolean isOf(String name) {
            return title.startsWith(name + "\n");
        }
    }

    private static Document parse(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    private static String svg(LayoutPicture picture) {
        StringWriter text = new StringWriter();
        picture.writeSvg(new PrintWriter(text));
        return text.toString();
    }

    private static List<Drawn> drawn(LayoutPicture picture) throws Exception {
        NodeList groups = parse(svg(picture)).getElementsByTagName("g");
        return IntStream.range(0, groups.getLength())
                .mapToObj(i -> (Element) groups.item(i))
                .map(group -> {
                    Element rectangle =
                            (Element) group.getElementsByTagName("rect").item(0);
                    return new Drawn(
                            group.getElementsByTagName("title").item(0).getTextContent(),
                            Double.parseDouble(rectangle.getAttribute("x")),
                            Double.parseDouble(rectangle.getAttribute("y")),
                            Double.parseDouble(rectangle.getAttribute("width")));
                })
                .toList();
    }

    private static List<Drawn> named(List<Drawn> drawn, String name) {
        return drawn.stream().filter(each -> each.isOf(name)).toList();
    }

    @Test
    void isToScaleAboveAndReadableBelow() throws Exception {
        long huge = 1L << 40;
        List<FileRange> ranges = List.of(
                FileRange.data("chunk", "a", 0, 4).with("colour", "none"),
                FileRange.data("chunk", "b", 4, huge),
                FileRange.data("chunk", "c", 4 + huge, huge / 2),
                FileRange.metadata("record", "", 4 + huge + huge / 2, 58));
        List<Drawn> drawn = drawn(new LayoutPicture("file", "", 62 + huge + huge / 2, ranges));
        assertThat(named(drawn, "chunk b").get(0).width()).isCloseTo(INNER_WIDTH * 2 / 3, within(2.0));
        assertThat(named(drawn, "chunk c").get(0).width()).isCloseTo(INNER_WIDTH / 3, within(2.0));
        for (String name : List.of("chunk a", "chunk b", "chunk c", "record")) {
            List<Drawn> twice = named(drawn, name);
            Drawn below = twice.get(twice.size() - 1);
            assertThat(below.width()).as(name).isGreaterThan(15);
            assertThat(below.y()).as(name).isGreaterThan(drawn.get(0).y());
        }
        assertThat(named(drawn, "chunk a").get(0).title()).isEqualTo("chunk a\noffset 0\nlength 4 bytes\ncolour none");
    }

    @Test
    void spaceThatNobodyNamesIsUnused() throws Exception {
        FileRange container = FileRange.data("container", "1.0", 100, 200)
                .with(List.of(FileRange.data("chunk", "1.0", 100, 50)))
                .of("variable 1");
        LayoutPicture picture = new LayoutPicture("file", "", 400, List.of(container));
        List<Drawn> drawn = drawn(picture);
        assertThat(named(drawn, "gap"))
                .extracting(Drawn::title)
                .contains("gap\noffset 0\nlength 100 bytes", "gap\noffset 300\nlength 100 bytes");
        assertThat(named(drawn, "unused"))
                .extracting(Drawn::title)
                .containsOnly("unused\noffset 150\nlength 150 bytes\nin container 1.0");
        assertThat(svg(picture)).contains("variable 1 · 50 B", "unused, reserved or left free · 350 B");
    }

    /** Whatever a damaged file says, leaves cover the file from its first to its last byte, once. */
    @Tag("exhaustive")
    @Test
    void rangesOfDamagedFilesAreCut() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            long size = random.nextInt(1000);
            List<FileRange> ranges = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                ranges.add(hostile(random).with(List.of(hostile(random), hostile(random))));
            }
            PictureBoxes boxes = new PictureBoxes(size, ranges);
            long end = 0;
            for (Box leaf : boxes.leaves()) {
                assertThat(leaf.start()).as("seed %d, round %d", seed, round).isEqualTo(end);
                assertThat(leaf.end()).isGreaterThanOrEqualTo(leaf.start());
                end = leaf.end();
            }
            assertThat(end).as("seed %d, round %d", seed, round).isEqualTo(size);
            assertThat(svg(new LayoutPicture("", "", size, ranges))).doesNotContain("NaN", "Infinity", "width=\"-");
        }
    }

    private static FileRange hostile(Random random) {
        return FileRange.data("part", "", number(random), number(random));
    }

    private static long number(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Long.MAX_VALUE - random.nextInt(3);
            case 1 -> Long.MIN_VALUE + random.nextInt(3);
            case 2 -> random.nextLong();
            default -> random.nextInt(1200) - 100;
        };
    }

    @Tag("exhaustive")
    @Test
    void thousandsOfPartsAreDrawnOnceToScaleAndTheFirstAtReadableWidth() throws Exception {
        List<FileRange> ranges = IntStream.range(0, 100_000)
                .mapToObj(i ->
                        FileRange.data("chunk", String.valueOf(i), 10L * i, 10).of("variable " + i))
                .toList();
        LayoutPicture picture = new LayoutPicture("file", "", 1_000_000, ranges);
        List<Drawn> drawn = drawn(picture);
        assertThat(drawn).hasSizeBetween(3000, 4000);
        assertThat(named(drawn, "chunk 999")).hasSizeBetween(1, 2);
        assertThat(svg(picture)).contains("99000 more parts", "and 99960 more");
        assertThat(drawn).allMatch(each -> each.x() >= 24 && each.x() + each.width() <= 24.6 + INNER_WIDTH);
    }

    @Test
    void namesAreTextNotMarkup() throws Exception {
        FileRange range = FileRange.data("<b>&\"", "\u0001]]>", 0, 10).of("<i>").with("<u>", "&amp;\u0000");
        LayoutPicture picture = new LayoutPicture("<title>", "</svg>", 10, List.of(range));
        assertThat(drawn(picture).get(0).title()).isEqualTo("<b>&\" ?]]>\noffset 0\nlength 10 bytes\n<u> &amp;?");
        StringWriter html = new StringWriter();
        picture.writeHtml(new PrintWriter(html));
        assertThat(html.toString())
                .contains("&lt;b&gt;&amp;&quot; ?]]&gt;</td>", "<td class=\"number\">10</td>", "<svg")
                .doesNotContain("<i>", "<u>", "<script");
    }

    @Test
    void anEmptyFileHasAPicture() throws Exception {
        assertThat(drawn(new LayoutPicture("empty", "", 0, List.of()))).isEmpty();
    }
}
