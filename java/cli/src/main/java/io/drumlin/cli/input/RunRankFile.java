package io.drumlin.cli.input;

import io.drumlin.checkpoint.RunSurvey.Part;
import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.fti.Hdf5Datasets;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The file of a rank of a run, which was verified when it was found. */
final class RunRankFile implements DataFile {

    private final FileSource source;
    private final RankFile file;

    /** What the metadata say about the file; null if they say nothing. */
    private final @Nullable FileEntry entry;

    private final boolean verified;

    private RunRankFile(FileSource source, RankFile file, @Nullable FileEntry entry, boolean verified) {
        this.source = source;
        this.file = file;
        this.entry = entry;
        this.verified = verified;
    }

    static DataFile of(FileSource source, RankFile file, boolean isHdf5) throws IOException {
        Path path = file.metadata();
        if (isHdf5) {
            return Hdf5Datasets.of(source);
        }
        if (path == null) {
            return new RunRankFile(source, file, null, true);
        }
        GroupMetadata metadata = metadata(path);
        FileEntry entry = metadata.files().get(file.member());
        return new RunRankFile(source, file, entry, isDigested(source, metadata, entry));
    }

    private static GroupMetadata metadata(Path path) throws IOException {
        try (FileSource source = FileSource.open(path)) {
            return GroupMetadata.read(source);
        } catch (FormatException e) {
            throw e.in(path);
        }
    }

    /** In a file of all ranks C FTI writes arbitrary digests; those of layers are there always. */
    private static boolean isDigested(FileSource source, GroupMetadata metadata, FileEntry entry) {
        boolean shared = !String.valueOf(source.path().getFileName()).matches(".*-(Rank|Pcof)\\d+\\.\\w+");
        return !entry.layers().isEmpty() || (!entry.digest().isEmpty() && (!shared || metadata.blocksDigested()));
    }

    @Override
    public String title() {
        return "checkpoint " + file.ckptId() + " of level " + file.level().number();
    }

    @Override
    public List<StoredData> data() {
        List<StoredData> all = new ArrayList<>();
        file.variables().forEach((id, parts) -> all.add(data(id, parts)));
        return all;
    }

    private StoredData data(int id, List<Part> parts) {
        List<StoredData.Piece> pieces = parts.stream()
                .map(part -> new StoredData.Piece(part.offset(), part.length()))
                .toList();
        long size = parts.stream().mapToLong(Part::length).sum();
        StoredData data =
                StoredData.of("var=" + id, size, verified, source, pieces).ofRank(file.rank());
        Optional<VariableEntry> described = entry == null
                ? Optional.empty()
                : entry.variables().stream().filter(each -> each.id() == id).findFirst();
        return described
                .map(each -> data.typed(ValueType.ofFti(each.typeId(), each.typeSize()), each.dims()))
                .orElse(data);
    }

    @Override
    public StoredData select(Selection selection) {
        String id = selection.value();
        for (Map.Entry<Integer, List<Part>> variable : file.variables().entrySet()) {
            if (variable.getKey().toString().equals(id)) {
                return data(variable.getKey(), variable.getValue());
            }
        }
        throw new CommandException(
                ExitCode.NOT_RECOGNISED,
                file.path() + " has no variable " + id + "; it has "
                        + file.variables().keySet());
    }
}
