package io.drumlin.format.ftiff;

import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A whole file, and which changes of it no check can find: docs/formats/fti-ff.md, section 8, put into code without use of
 * that of the reader.
 */
final class Specimen {

    private static final HexFormat HEX = HexFormat.of();

    private final String name;
    private final byte[] bytes;
    private final FtiFfFile file;
    private final List<VariableMeta> containers;
    private final List<Place> places = new ArrayList<>();

    Specimen(String name, byte[] bytes) throws IOException {
        this.name = name;
        this.bytes = bytes;
        this.file = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
        this.containers = file.containers().toList();
        addPlaces();
    }

    private void addPlaces() {
        addPlaces(Place.Kind.FILE, layout().file(), file.recordOffset(), -1);
        int container = 0;
        for (int b = 0; b < file.blocks().size(); b++) {
            RecordFormat block = layout().block();
            addPlaces(Place.Kind.BLOCK, block, file.variableOffset(b, 0) - block.length(), -1);
            for (int v = 0; v < file.blocks().get(b).variables().size(); v++) {
                addPlaces(Place.Kind.VARIABLE, layout().variable(), file.variableOffset(b, v), container++);
            }
        }
    }

    private void addPlaces(Place.Kind kind, RecordFormat format, long offset, int container) {
        boolean[] named = new boolean[format.length()];
        for (Field field : Field.values()) {
            if (format.has(field)) {
                int at = format.offset(field);
                Arrays.fill(named, at, at + format.length(field), true);
                places.add(new Place(kind, container, Optional.of(field), (int) offset + at, format.length(field)));
            }
        }
        for (int i = 0; i < named.length; i++) {
            if (!named[i]) {
                places.add(new Place(kind, container, Optional.empty(), (int) offset + i, 1));
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }

    byte[] bytes() {
        return bytes;
    }

    Layout layout() {
        return file.layout();
    }

    /** All metadata bytes, each in one place. */
    List<Place> places() {
        return places;
    }

    /** Gives a changed file record its digest, so that the change gets past it. */
    void sign(byte[] changed) {
        int offset = (int) file.recordOffset();
        ByteBuffer record = ByteBuffer.wrap(changed).slice(offset, layout().fileMetaLength());
        byte[] digest = layout().recordDigest(record);
        System.arraycopy(digest, 0, changed, offset + layout().file().offset(Field.MY_HASH), digest.length);
    }

    /** Whether a digest covers a byte of the data. */
    boolean covers(int position) {
        return file.encoded()
                || layout() == Layout.A
                || containers.stream()
                        .anyMatch(container -> container.hasContent()
                                && position >= container.fptr()
                                && position < container.fptr() + container.chunkSize());
    }

    /** What must be there: all, but for the end of a file of layout B behind all records and chunks. */
    long least() {
        if (layout() != Layout.B || file.encoded()) {
            return bytes.length;
        }
        long chunks = containers.stream()
                .filter(container -> container.chunkSize() > 0)
                .mapToLong(container -> container.fptr() + container.chunkSize())
                .max()
                .orElse(0);
        long records = places.stream()
                .mapToLong(place -> place.offset() + place.length())
                .max()
                .orElseThrow();
        return Math.max(chunks, records);
    }

    /** What may be there: a file of layout B may have what it was said to lack. */
    long most() {
        return file.encoded() ? bytes.length : file.meta().fs();
    }

    /**
     * Whether nobody can notice that a place was changed.
     *
     * @param changed the file with this place changed
     * @param signed whether the digest of the file record was made to fit
     */
    boolean uncovered(Place place, byte[] changed, boolean signed) {
        return switch (place.record()) {
            case FILE -> uncoveredInFileRecord(place, changed, signed);
            case BLOCK -> false;
            case VARIABLE -> layout() != Layout.A && uncoveredInVariableRecord(place, changed);
        };
    }

    private boolean uncoveredInFileRecord(Place place, byte[] changed, boolean signed) {
        if (place.field().isEmpty() || place.is(Field.MARK)) {
            return true;
        }
        if (place.is(Field.CKPT_ID)) {
            return file.encoded() || number(place, changed) >= 0;
        }
        if (!signed) {
            return false;
        }
        long appended = layout().atEnd() ? 8 : 0;
        long size = file.meta().fs();
        return switch (place.field().get()) {
            case TIMESTAMP -> true;
            case META_SIZE, DATA_SIZE -> file.encoded();
            case CKPT_SIZE ->
                file.encoded()
                        && number(place, changed) >= layout().fileMetaLength()
                        && number(place, changed) <= size - appended;
            case MAX_FS ->
                !file.encoded() && (number(place, changed) == -1 || number(place, changed) >= size + appended);
            case PT_FS ->
                !file.encoded()
                        && (number(place, changed) == -1 || number(place, changed) >= layout().fileMetaLength());
            default -> false;
        };
    }

    private boolean uncoveredInVariableRecord(Place place, byte[] changed) {
        VariableMeta container = containers.get(place.container());
        long value = number(place, changed);
        return switch (place.field().orElseThrow()) {
            case HAS_CKPT -> value == 0 || value == 1;
            case IDX -> value >= 0;
            case ID -> value >= 0 && inOrder(with(place, container, (int) value, container.hasContent()));
            case HAS_CONTENT ->
                (value == 0 || value == 1)
                        && container.chunkSize() == 0
                        && isWhole(with(place, container, container.id(), value == 1));
            case HASH -> !container.hasContent() && (layout() == Layout.B || matches(VariableMeta::hasContent));
            default -> false;
        };
    }

    private List<VariableMeta> with(Place place, VariableMeta container, int id, boolean hasContent) {
        List<VariableMeta> changed = new ArrayList<>(containers);
        changed.set(
                place.container(),
                new VariableMeta(
                        id,
                        VariableMeta.NO_IDX,
                        container.containerId(),
                        hasContent,
                        container.hasCkpt(),
                        container.dptr(),
                        container.fptr(),
                        container.chunkSize(),
                        container.containerSize(),
                        container.hash()));
        return changed;
    }

    /** Whether the containers of all variables are numbered, follow each other and hold them without a gap. */
    private static boolean inOrder(List<VariableMeta> containers) {
        Map<Integer, List<VariableMeta>> variables = new HashMap<>();
        for (VariableMeta container : containers) {
            List<VariableMeta> earlier = variables.computeIfAbsent(container.id(), id -> new ArrayList<>());
            long reserved =
                    earlier.stream().mapToLong(VariableMeta::containerSize).sum();
            long used = earlier.stream().mapToLong(VariableMeta::chunkSize).sum();
            if (container.containerId() != earlier.size()
                    || container.dptr() != reserved
                    || (container.hasContent() && used != reserved)) {
                return false;
            }
            earlier.add(container);
        }
        return true;
    }

    /** Whether a chunk of 0 bytes that was made or unmade fits the order, its hash and the checksum. */
    private boolean isWhole(List<VariableMeta> changed) {
        String nothing = HEX.formatHex(Digests.md5().digest());
        return inOrder(changed)
                && changed.stream()
                        .filter(container -> container.hasContent() && container.chunkSize() == 0)
                        .allMatch(container -> container.hash().equals(nothing))
                && (layout() == Layout.B
                        || matches(changed, VariableMeta::hasContent)
                        || matches(changed, container -> true));
    }

    private boolean matches(Predicate<VariableMeta> counts) {
        return matches(containers, counts);
    }

    private boolean matches(List<VariableMeta> all, Predicate<VariableMeta> counts) {
        MessageDigest md5 = Digests.md5();
        all.stream().filter(counts).forEach(container -> md5.update(HEX.parseHex(container.hash())));
        return HEX.formatHex(md5.digest()).equals(file.meta().checksum());
    }

    private static long number(Place place, byte[] changed) {
        ByteBuffer field = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        return switch (place.length()) {
            case 1 -> field.get(place.offset());
            case 4 -> field.getInt(place.offset());
            default -> field.getLong(place.offset());
        };
    }
}
