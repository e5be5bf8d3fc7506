package io.drumlin.cli.convert;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.GivenTypes;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.input.CheckpointDirectory;
import io.drumlin.cli.input.MetadataOption;
import io.drumlin.format.hdf5.Datatype;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.format.hdf5.StoredDataset;
import io.drumlin.format.hdf5.internal.NewDataset;
import io.drumlin.format.hdf5.internal.NewFile;
import io.drumlin.format.hdf5.internal.NewGroup;
import io.drumlin.format.hdf5.internal.NewObject;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the data of a checkpoint to an HDF5 file, with a dataset for each variable and rank. The data are read twice:
 * first their shapes, from which follows where everything is in the new file, then their bytes.
 */
final class Hdf5Conversion {

    private static final Pattern CHUNK_OF_FRAME = Pattern.compile("chunk=(.*),frame=(\\d+)", Pattern.DOTALL);
    private static final String DATASET = "dataset=/";

    /** More dimensions than a dataset of HDF5 can have. */
    private static final int TOO_MANY_DIMENSIONS = 33;

    private final Path source;
    private final Path output;

    /** The type of data whose file does not have it. */
    private final GivenTypes types;

    private final NewGroup root = new NewGroup();
    private final List<NewDataset> datasets = new ArrayList<>();
    private final Set<String> titles = new TreeSet<>();
    private boolean verified = true;

    private Hdf5Conversion(Path source, Path output, GivenTypes types) {
        this.source = source;
        this.output = output;
        this.types = types;
    }

    /** The files of the checkpoint, one after the other. */
    @FunctionalInterface
    private interface Files {
        void forEach(DataFile.Work<?> work) throws IOException;
    }

    /**
     * Converts a file, or a checkpoint of a run.
     *
     * @param directory the run; empty for a file
     * @param types the types of data whose file does not have them; without them they are bytes
     * @return what was written, for people
     */
    static String convert(
            Path source,
            MetadataOption metadata,
            Optional<CheckpointDirectory> directory,
            Path output,
            GivenTypes types)
            throws IOException {
        if (PathStatus.exists(output)) {
            throw new CommandException(ExitCode.IO_ERROR, output + " is there already; remove it or name another file");
        }
        Hdf5Conversion conversion = new Hdf5Conversion(source, output, types);
        if (directory.isPresent()) {
            return directory
                    .get()
                    .fetchAll(files -> conversion.convert(work -> {
                        for (RankFile file : files) {
                            directory.get().open(file, work);
                        }
                    }));
        }
        try (FileSource file = FileSource.open(source)) {
            DataFile data = Formats.of(file, metadata.path());
            return conversion.convert(work -> work.on(data, OptionalInt.empty()));
        }
    }

    private String convert(Files files) throws IOException {
        files.forEach(this::add);
        types.requireMet(source + " has no");
        root.attribute("drumlin_source", source.toAbsolutePath().toString());
        root.attribute("drumlin_format", String.join("; ", shortened(titles)));
        root.attribute("drumlin_version", new Program().getVersion()[0]);
        root.attribute(
                "drumlin_verified", verified ? "all data were compared with digests" : "not all data have digests");
        NewFile file = placed();
        try (ReplacedFile target = ReplacedFile.create(output)) {
            // The end of the file, where there may be no data.
            target.write(file.size() - 1, ByteBuffer.allocate(1));
            target.write(0, file.metadata());
            Iterator<NewDataset> next = datasets.iterator();
            files.forEach((data, rank) -> {
                copy(data, next, target);
                return data;
            });
            if (next.hasNext()) {
                throw changed();
            }
            readBack(target.place());
            requireNew();
            target.commit();
        }
        return output + ": HDF5, " + datasets.size() + " datasets of " + source;
    }

    private void requireNew() throws IOException {
        if (PathStatus.exists(output)) {
            throw new CommandException(ExitCode.IO_ERROR, output + " was made by somebody else in the meantime");
        }
    }

    /** The files of many ranks may have many titles. */
    private static List<String> shortened(Set<String> titles) {
        return titles.stream().limit(100).toList();
    }

    private NewFile placed() {
        try {
            return NewFile.of(root);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, source + " cannot be an HDF5 file: " + e.getMessage());
        }
    }

    private DataFile add(DataFile file, OptionalInt rank) throws IOException {
        titles.add(file.title());
        for (int part = 0; part < file.parts(); part++) {
            for (StoredData data : file.part(part)) {
                add(
                        data.type().isPresent() && !types.names(data) ? data : data.as(types.type(data)),
                        data.rank().isPresent() ? data.rank() : rank);
            }
        }
        return file;
    }

    private void add(StoredData data, OptionalInt rank) {
        verified &= data.verified();
        List<Long> shape = data.shape().size() < TOO_MANY_DIMENSIONS ? data.shape() : List.of(data.elements());
        NewDataset dataset = NewDataset.contiguous(type(data.elementType()), Optional.empty(), shape);
        dataset.attribute("drumlin_name", data.name());
        rank.ifPresent(number -> dataset.attribute("drumlin_rank", String.valueOf(number)));
        datasets.add(put(path(data.name(), rank), dataset));
    }

    /** Returns the names of the groups and of the dataset. */
    static List<String> path(String name, OptionalInt rank) {
        Matcher ofFrame = CHUNK_OF_FRAME.matcher(name);
        String plain;
        if (name.startsWith(DATASET)) {
            plain = name.substring(DATASET.length());
        } else if (ofFrame.matches()) {
            plain = "frame" + ofFrame.group(2) + "/" + ofFrame.group(1);
        } else {
            plain = name.replace("=", "").replace(",", "/");
        }
        List<String> names = new ArrayList<>();
        rank.ifPresent(number -> names.add("rank" + number));
        Arrays.stream(plain.split("/"))
                .map(each -> NewGroup.isName(each) ? each : "_")
                .forEach(names::add);
        return names;
    }

    /** Puts a dataset into its groups. A name that is in use for something else gets a line after it. */
    private NewDataset put(List<String> path, NewDataset dataset) {
        NewGroup group = root;
        for (String name : path.subList(0, path.size() - 1)) {
            String free = name;
            while (group.get(free).isPresent() && !(group.get(free).get() instanceof NewGroup)) {
                free += "_";
            }
            Optional<NewObject> there = group.get(free);
            group = there.isPresent() ? (NewGroup) there.get() : group.add(free, new NewGroup());
        }
        String free = path.get(path.size() - 1);
        while (group.get(free).isPresent()) {
            free += "_";
        }
        return group.add(free, dataset);
    }

    private static Datatype type(ValueType type) {
        return switch (type.kind()) {
            case SIGNED -> Datatype.integer(type.size(), type.size() * Byte.SIZE, true);
            case UNSIGNED -> Datatype.integer(type.size(), type.size() * Byte.SIZE, false);
            case FLOAT ->
                switch (type.size()) {
                    case Float.BYTES -> Datatype.ieee32();
                    case Double.BYTES -> Datatype.ieee64();
                    default -> Datatype.extended80();
                };
            case CHARACTER -> Datatype.text(type.size());
            case OPAQUE -> Datatype.opaque(type.size());
        };
    }

    private void copy(DataFile file, Iterator<NewDataset> next, ReplacedFile target) throws IOException {
        for (int part = 0; part < file.parts(); part++) {
            file.copy(file.part(part), (data, copy) -> {
                NewDataset dataset = next.hasNext() ? next.next() : null;
                if (dataset == null || dataset.bytes() != data.size()) {
                    throw changed();
                }
                Place place = new Place(target, dataset.chunks().get(0).offset());
                copy.to(place);
                if (place.written != dataset.bytes()) {
                    throw changed();
                }
            });
        }
    }

    private DrumlinException changed() {
        return DrumlinException.during("convert")
                .path(source)
                .problem("its content is not what it was when it was read first")
                .advice("convert a checkpoint that no job writes")
                .exception();
    }

    /** Reads the structure of the new file. */
    private void readBack(Path place) throws IOException {
        try (FileSource written = FileSource.open(place)) {
            List<StoredDataset> found = Hdf5File.read(written).datasets();
            long bytes = found.stream().mapToLong(StoredDataset::storedBytes).sum();
            if (found.size() != datasets.size()
                    || bytes != datasets.stream().mapToLong(NewDataset::bytes).sum()) {
                throw DrumlinException.during("reading back")
                        .path(place)
                        .problem("the new file does not hold what the checkpoint does")
                        .advice("the storage or this program is at fault; the new file was not kept")
                        .exception();
            }
        }
    }

    /** The bytes from an offset of the new file on. */
    private static final class Place extends OutputStream {

        private final ReplacedFile target;
        private final long start;
        private long written;

        Place(ReplacedFile target, long start) {
            this.target = target;
            this.start = start;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            target.write(start + written, ByteBuffer.wrap(bytes, offset, length));
            written += length;
        }
    }
}
