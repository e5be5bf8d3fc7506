package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Small files of our own of every layout, every bit of them. */
@Tag("exhaustive")
class FtiFfMutationTest extends FtiFfMutations {

    static final int[] EVERY_BIT = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};

    @Override
    Stream<Specimen> files() throws IOException {
        Random random = new Random(1);
        List<Specimen> files = new ArrayList<>();
        for (Layout layout : Layout.values()) {
            files.add(new Specimen("first-" + layout, WrittenFiles.first(layout, random)));
            files.add(new Specimen("later-" + layout, WrittenFiles.later(layout, random)));
            files.add(new Specimen("encoded-" + layout, WrittenFiles.encoded(layout, random)));
        }
        Specimen whole = new Specimen("whole-B", WrittenFiles.later(Layout.B, random));
        files.add(new Specimen("ended-B", Arrays.copyOf(whole.bytes(), (int) whole.least())));
        return files.stream();
    }

    @Override
    int[] masks() {
        return EVERY_BIT;
    }

    @Override
    int rounds() {
        return 400;
    }

    /** The list that is in docs/formats/fti-ff.md, section 8, to be read with the conditions it gives. */
    @Test
    void whatNothingCovers() throws IOException {
        Map<Layout, Set<String>> found = new EnumMap<>(Layout.class);
        files().forEach(file ->
                found.computeIfAbsent(file.layout(), layout -> new TreeSet<>()).addAll(unnoticed(file)));
        assertThat(found).allSatisfy((layout, fields) -> assertThat(fields)
                .as("layout " + layout)
                .containsExactlyInAnyOrder(
                        switch (layout) {
                            case A -> new String[] {"mark", "padding"};
                            case B -> new String[] {"mark", "id", "idx", "hasCkpt", "hascontent", "hash"};
                            case C -> new String[] {"mark", "ckptId", "id", "idx", "hasCkpt", "hascontent", "hash"};
                            case D, E, F -> new String[] {"mark", "ckptId", "id", "hasCkpt", "hascontent", "hash"};
                        }));
    }

    /** Fields of which some flipped bit is not noticed. */
    private static Set<String> unnoticed(Specimen file) {
        Set<String> fields = new TreeSet<>();
        for (Place place : file.places()) {
            for (int bit = 0; bit < 8 * place.length(); bit++) {
                byte[] damaged = file.bytes().clone();
                damaged[place.offset() + bit / 8] ^= (byte) (1 << bit % 8);
                try {
                    if (!isNoticed(damaged, file, "bit " + bit + " of " + place)) {
                        fields.add(place.field().map(Field::label).orElse("padding"));
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        }
        return fields;
    }
}
