package io.drumlin.cli;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of a file as {@link LayoutPicture} draws it. Parts of parts lie within it; what they leave free is drawn as unused,
 * and so nobody has to name gaps. Immutable.
 *
 * @param kind what it is in the format's own words, for example {@code container}
 * @param label which one it is, for example {@code 2.1}; may be empty
 * @param matter how it is drawn
 * @param owner what it belongs to, which gives it its colour and a line in the legend, for example {@code variable 2}; may be empty
 * @param offset first byte in the file
 * @param length bytes
 * @param fields what the format says of it, by name, in the order in which it is shown
 * @param parts what is in it, in file order
 */
record FileRange(
        String kind,
        String label,
        Matter matter,
        String owner,
        long offset,
        long length,
        Map<String, Object> fields,
        List<FileRange> parts) {

    /** What the bytes of a range are. */
    enum Matter {
        DATA,
        METADATA,
        UNUSED
    }

    FileRange {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        parts = List.copyOf(parts);
    }

    static FileRange data(String kind, String label, long offset, long length) {
        return new FileRange(kind, label, Matter.DATA, "", offset, length, Map.of(), List.of());
    }

    static FileRange metadata(String kind, String label, long offset, long length) {
        return new FileRange(kind, label, Matter.METADATA, "", offset, length, Map.of(), List.of());
    }

    /** Space that is reserved for something and holds nothing; where it lies beside other parts it need not be named. */
    static FileRange unused(String kind, long offset, long length) {
        return new FileRange(kind, "", Matter.UNUSED, "", offset, length, Map.of(), List.of());
    }

    /** This and its parts as belonging to {@code owner}, unless they belong to somebody. */
    FileRange of(String owner) {
        return new FileRange(
                kind,
                label,
                matter,
                this.owner.isEmpty() ? owner : this.owner,
                offset,
                length,
                fields,
                parts.stream().map(part -> part.of(owner)).toList());
    }

    /** This with a field behind the others. */
    FileRange with(String field, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put(field, value);
        return new FileRange(kind, label, matter, owner, offset, length, more, parts);
    }

    /** This with other parts. */
    FileRange with(List<FileRange> others) {
        return new FileRange(kind, label, matter, owner, offset, length, fields, others);
    }

    /** Kind and label. */
    String name() {
        return label.isEmpty() ? kind : kind + " " + label;
    }
}
