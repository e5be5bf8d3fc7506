package io.drumlin.cli.fti;

import io.drumlin.cli.file.FileSource;
import io.drumlin.format.FormatException;
import io.drumlin.format.fti.FileEntry;
import io.drumlin.format.fti.GroupMetadata;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Metadata files of a checkpoint in the modes POSIX and MPI-IO; docs/formats/fti-posix.md, section 3. */
record FtiMetadata(List<Group> groups) {

    private static final Pattern NAME = Pattern.compile("sector(\\d{1,9})-group(\\d{1,9})\\.fti");
    private static final Pattern LEVEL = Pattern.compile("l[1-4]");
    private static final Pattern ID = Pattern.compile("Ckpt(-?\\d+)-.*");

    /** Largest number of levels above the data directory of the run at which the metadata directory may begin. */
    private static final int REACH = 3;

    /** A metadata file. */
    record Group(Path path, int sector, int group, GroupMetadata metadata) {

        static Group read(Path path) throws IOException {
            Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
            boolean standard = name.matches();
            try (FileSource source = FileSource.open(path)) {
                return new Group(
                        path,
                        standard ? Integer.parseInt(name.group(1)) : 0,
                        standard ? Integer.parseInt(name.group(2)) : 0,
                        GroupMetadata.read(source));
            } catch (FormatException e) {
                throw e.in(path);
            }
        }
    }

    /** A member of a group. */
    record Member(Group group, int groupRank) {

        FileEntry entry() {
            return group.metadata().files().get(groupRank);
        }

        /** Returns the member whose partner copy this one keeps. */
        Member left() {
            return new Member(
                    group, Math.floorMod(groupRank - 1, group.metadata().files().size()));
        }
    }

    /** Reads a metadata file, or all files in a directory. */
    static FtiMetadata read(Path path) throws IOException {
        if (!PathStatus.isDirectory(path)) {
            return new FtiMetadata(List.of(Group.read(path)));
        }
        List<Group> groups = new ArrayList<>();
        for (Path file : filesIn(path)) {
            groups.add(Group.read(file));
        }
        if (groups.isEmpty()) {
            throw new NoSuchFileException(path.resolve("sector*-group*.fti").toString());
        }
        return new FtiMetadata(groups);
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        if (!PathStatus.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    /**
     * Looks for the metadata of a data file, assuming that the roots of the run's directories lie side by side. For
     * {@code Local/node0/X/l2/Ckpt1-Rank0.fti} it looks in {@code Meta/X/l2}.
     */
    static Optional<FtiMetadata> of(Path dataFile) throws IOException {
        Path level = dataFile.toAbsolutePath().normalize().getParent();
        Path run = level == null ? null : level.getParent();
        Path execId = run == null ? null : run.getFileName();
        if (level == null || run == null || execId == null) {
            return Optional.empty();
        }
        String below = metadataDirectory(String.valueOf(level.getFileName()), String.valueOf(dataFile.getFileName()));
        Path base = run.getParent();
        for (int i = 0; below != null && base != null && i < REACH; i++, base = base.getParent()) {
            for (Path root : directoriesIn(base)) {
                Path candidate = root.resolve(execId).resolve(below);
                if (!filesIn(candidate).isEmpty()) {
                    return Optional.of(read(candidate));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the location of a file's metadata in the run's metadata directory; null if the directory does not belong
     * to a level.
     */
    private static @Nullable String metadataDirectory(String level, String name) {
        if (level.equals("l4_archive")) {
            Matcher id = ID.matcher(name);
            return id.matches() ? "l4_archive/Ckpt_" + id.group(1) : null;
        }
        if (level.equals("dCP")) {
            return "l4";
        }
        return LEVEL.matcher(level).matches() ? level : null;
    }

    private static List<Path> directoriesIn(Path base) throws IOException {
        try (Stream<Path> paths = Files.list(base)) {
            return Stream.concat(
                            Stream.of(base), paths.filter(Files::isDirectory).sorted())
                    .toList();
        }
    }

    /** Returns all members in the order of application ranks. */
    List<Member> members() {
        List<Member> members = new ArrayList<>();
        for (Group group : groups) {
            for (int i = 0; i < group.metadata().files().size(); i++) {
                members.add(new Member(group, i));
            }
        }
        members.sort(Comparator.<Member>comparingInt(member -> member.group().sector())
                .thenComparingInt(Member::groupRank)
                .thenComparingInt(member -> member.group().group()));
        return members;
    }

    /** Returns the member with a file of this name. */
    Optional<Member> member(String fileName) {
        return members().stream()
                .filter(member -> member.entry().name().equals(fileName))
                .findFirst();
    }
}
