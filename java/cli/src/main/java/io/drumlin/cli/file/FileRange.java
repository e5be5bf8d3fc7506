package io.drumlin.cli.file;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A part of a file in the form that {@code LayoutPicture} draws. Its parts lie within it. The gaps between them are
 * drawn as unused, so they need not be named. Immutable.
 *
 * @param kind its kind in the words of the format, for example {@code container}
 * @param label its label, for example {@code 2.1}; may be empty
 * @param matter determines how it is drawn
 * @param owner its owner, which determines its colour and has a line in the legend, for example {@code variable 2}; may
 *     be empty
 * @param offset first byte in the file
 * @param length length in bytes
 * @param fields its fields in the format, by name, in the order in which they are shown
 * @param parts its parts, in file order
 */
public record FileRange(
        String kind,
        String label,
        Matter matter,
        String owner,
        long offset,
        long length,
        Map<String, Object> fields,
        List<FileRange> parts) {

    /** The content of the bytes of a range. */
    public enum Matter {
        DATA,
        METADATA,
        UNUSED
    }

    public FileRange {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        parts = List.copyOf(parts);
    }

    public static FileRange data(String kind, String label, long offset, long length) {
        return new FileRange(kind, label, Matter.DATA, "", offset, length, Map.of(), List.of());
    }

    public static FileRange metadata(String kind, String label, long offset, long length) {
        return new FileRange(kind, label, Matter.METADATA, "", offset, length, Map.of(), List.of());
    }

    /** Makes a range of reserved, unused space. It need not be named if it lies beside other parts. */
    public static FileRange unused(String kind, long offset, long length) {
        return new FileRange(kind, "", Matter.UNUSED, "", offset, length, Map.of(), List.of());
    }

    /** Assigns this range and its parts to {@code owner}, unless they have an owner. */
    public FileRange of(String owner) {
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

    /** Adds a field after the others. */
    public FileRange with(String field, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(fields);
        more.put(field, value);
        return new FileRange(kind, label, matter, owner, offset, length, more, parts);
    }

    /** Returns this range with other parts. */
    public FileRange with(List<FileRange> others) {
        return new FileRange(kind, label, matter, owner, offset, length, fields, others);
    }

    /** Returns kind and label. */
    public String name() {
        return label.isEmpty() ? kind : kind + " " + label;
    }
}
