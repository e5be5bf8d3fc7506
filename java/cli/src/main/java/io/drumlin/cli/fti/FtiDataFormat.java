package io.drumlin.cli.fti;

import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.CkptType;
import io.drumlin.format.fti.DcpFile;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.format.fti.VariableEntry;
import io.drumlin.format.internal.RangeDigester.Range;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The data files of the modes POSIX, MPI-IO and HDF5. Only HDF5 files have a header. The others are recognised by their
 * names and by metadata, which the user gives or which are found where a run has them.
 */
public final class FtiDataFormat {

    private static final Pattern NAME = Pattern.compile("(Ckpt-?\\d+-)(Rank|Pcof|RSed|mpiio)(\\d*\\.(?:fti|h5))");
    private static final Pattern RANK = Pattern.compile(".*?(\\d{1,9})\\.(?:fti|h5)");

    private final FileSource source;
    private final FtiMetadata metadata;

    private FtiDataFormat(FileSource source, FtiMetadata metadata) {
        this.source = source;
        this.metadata = metadata;
    }

    /**
     * Checks whether metadata name a file.
     *
     * @param given metadata file or a directory with such files; null to look for them
     */
    public static Optional<RecognisedFile> recognise(FileSource source, @Nullable Path given) throws IOException {
        Optional<FtiMetadata> metadata =
                given == null ? FtiMetadata.of(source.path()) : Optional.of(FtiMetadata.read(given));
        if (metadata.isEmpty()) {
            return Optional.empty();
        }
        return new FtiDataFormat(source, metadata.get()).recognise();
    }

    private Optional<RecognisedFile> recognise() throws IOException {
        String name = String.valueOf(source.path().getFileName());
        Matcher matcher = NAME.matcher(name);
        String kind = matcher.matches() ? matcher.group(2) : "Rank";
        if (kind.equals("mpiio")) {
            return metadata.groups().stream()
                            .allMatch(group ->
                                    name.startsWith("Ckpt" + group.metadata().ckptId() + "-"))
                    ? Optional.of(shared())
                    : Optional.empty();
        }
        String ofRank = matcher.matches() ? matcher.group(1) + "Rank" + matcher.group(3) : name;
        Optional<FtiMetadata.Member> member = metadata.member(ofRank);
        return member.isEmpty() ? Optional.empty() : Optional.of(ofRank(member.get(), kind));
    }

    private RecognisedFile ofRank(FtiMetadata.Member member, String kind) throws IOException {
        if (kind.equals("Pcof")) {
            return plain(
                    member.left(), "partner copy of " + member.left().entry().name());
        }
        if (kind.equals("RSed")) {
            return encoded(member);
        }
        boolean differential = member.group().metadata().type() == CkptType.DCP;
        return differential ? differential(member) : plain(member, "checkpoint file");
    }

    private static int rank(FileEntry entry) {
        Matcher rank = RANK.matcher(entry.name());
        return rank.matches() ? Integer.parseInt(rank.group(1)) : -1;
    }

    private FtiDataFile file(
            FtiMetadata.Member member,
            String kind,
            long size,
            FtiDataFile.Integrity integrity,
            List<FtiDataFile.Variable> variables) {
        return new FtiDataFile(source, kind, member.group().metadata().ckptId(), size, integrity, variables);
    }

    private RecognisedFile plain(FtiMetadata.Member member, String kind) throws IOException {
        FileEntry entry = member.entry();
        if (entry.name().endsWith(".h5")) {
            return Hdf5Datasets.ofRank(source, kind, entry);
        }
        return file(member, kind, entry.size(), FtiDataFile.checksum(entry), variables(entry, 0));
    }

    private static List<FtiDataFile.Variable> variables(FileEntry entry, long start) {
        List<FtiDataFile.Variable> variables = new ArrayList<>();
        for (VariableEntry variable : entry.variables()) {
            Range part = new Range(start + variable.pos(), variable.size());
            variables.add(new FtiDataFile.Variable(rank(entry), variable, List.of(part)));
        }
        return variables;
    }

    private RecognisedFile encoded(FtiMetadata.Member member) {
        FileEntry entry = member.entry();
        return file(
                member, "Reed-Solomon file", entry.maxSize(), FtiDataFile.checksum(entry.rsedChecksum()), List.of());
    }

    private RecognisedFile shared() throws FormatException {
        List<FtiDataFile.Variable> variables = new ArrayList<>();
        List<DataFile.Block> blocks = new ArrayList<>();
        long start = 0;
        for (FtiMetadata.Member member : metadata.members()) {
            FileEntry entry = member.entry();
            variables.addAll(variables(entry, start));
            blocks.add(new DataFile.Block(new Range(start, entry.size()), entry.digest(), entry.isStriped()));
            start += entry.size();
            if (start < 0) {
                throw new FormatException(
                                GroupMetadata.FORMAT,
                                new Finding(
                                        "ckpt_file_size", 0, "the sizes of all ranks add up to more than 2^63 bytes"))
                        .in(member.group().path());
            }
        }
        boolean digested =
                metadata.groups().stream().allMatch(group -> group.metadata().blocksDigested());
        FtiDataFile.Integrity integrity = digested ? new FtiDataFile.BlockDigests(blocks) : new FtiDataFile.Unchecked();
        return file(metadata.members().get(0), "shared file of MPI-IO", start, integrity, variables);
    }

    private RecognisedFile differential(FtiMetadata.Member member) throws IOException {
        FileEntry entry = member.entry();
        try {
            DcpFile file = DcpFile.read(source, entry);
            List<FtiDataFile.Variable> variables = new ArrayList<>();
            for (VariableEntry variable : entry.variables()) {
                List<Range> parts = file.variable(file.layers(), variable.id());
                variables.add(new FtiDataFile.Variable(rank(entry), variable, parts));
            }
            // The bytes after the layers belong to a checkpoint that was not completed.
            return file(
                    member, "differential checkpoint", source.size(), new FtiDataFile.LayerDigests(file), variables);
        } catch (FormatException e) {
            throw e.in(source.path());
        }
    }
}
