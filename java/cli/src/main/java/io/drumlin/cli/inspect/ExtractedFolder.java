package io.drumlin.cli.inspect;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.GivenTypes;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.input.InputOptions;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/** A folder with a file for each variable and rank. It appears when all files are complete. */
final class ExtractedFolder {

    private static final int MOST_CHARACTERS = 200;

    private final Path target;
    private final OutputFormat format;
    private final InputOptions input;
    private final GivenTypes types;
    private final Set<String> names = new HashSet<>();

    ExtractedFolder(Path target, OutputFormat format, InputOptions input) {
        this.target = target;
        this.format = format;
        this.input = input;
        types = input.types();
    }

    void write() throws IOException {
        requireNew();
        Path absolute = target.toAbsolutePath().normalize();
        Path partial = absolute.resolveSibling(
                "." + absolute.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        Files.createDirectory(partial);
        try {
            input.openAll((file, rank) -> {
                write(file, rank, partial);
                return file;
            });
            types.requireMet(input.path() + " has no");
            Files.move(partial, absolute, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            delete(partial);
        }
    }

    private void requireNew() throws IOException {
        Path parent = target.toAbsolutePath().normalize().getParent();
        if (parent == null || !PathStatus.isDirectory(parent)) {
            throw new CommandException(
                    ExitCode.IO_ERROR, "-o " + target + ": there is no directory " + parent + "; make it first");
        }
        if (PathStatus.exists(target) && !isEmptyFolder()) {
            throw new CommandException(
                    ExitCode.IO_ERROR, "-o " + target + " is there already; with --all it must be new, or empty");
        }
    }

    private boolean isEmptyFolder() throws IOException {
        if (!PathStatus.isDirectory(target)) {
            return false;
        }
        try (Stream<Path> files = Files.list(target)) {
            return files.findAny().isEmpty();
        }
    }

    private void write(DataFile file, OptionalInt rank, Path folder) throws IOException {
        List<StoredData> all =
                file.data().stream().map(data -> data.as(types.type(data))).toList();
        all.forEach(data -> format.require(data, types.type(data).isPresent()));
        file.copy(all, (data, copy) -> {
            OptionalInt owner = data.rank().isPresent() ? data.rank() : rank;
            try (OutputStream each = Files.newOutputStream(folder.resolve(name(data, owner)))) {
                format.write(data, copy, each);
            }
        });
    }

    /** Returns a new name. Names in files may be hostile, and two may differ only in characters that are replaced. */
    private String name(StoredData data, OptionalInt rank) {
        String plain = data.name().replace("=/", "=").replaceAll("[=,]", "-").replace('/', '.');
        String safe = plain.replaceAll("[^A-Za-z0-9._-]", "_");
        String start = (rank.isPresent() ? "rank" + rank.getAsInt() + "-" : "")
                + safe.substring(0, Math.min(MOST_CHARACTERS, safe.length()));
        String name = start;
        for (int i = 2; !names.add(name); i++) {
            name = start + "-" + i;
        }
        return name + "." + (format == OutputFormat.raw ? "bin" : format.name());
    }

    private static void delete(Path folder) throws IOException {
        if (!PathStatus.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
