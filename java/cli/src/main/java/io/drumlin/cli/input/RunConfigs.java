package io.drumlin.cli.input;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Parameters;

/** The configuration file of a job, or those of a folder. */
public final class RunConfigs {

    @Parameters(
            paramLabel = "CONFIG",
            defaultValue = ".",
            description = "Configuration file of the job, or the folder with it. Without this the working directory.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    public boolean isFolder() {
        return Files.isDirectory(path);
    }

    /**
     * Returns the configuration file: the one that was named, or the only one of the folder.
     *
     * @throws CommandException the folder has none, or several
     */
    public Path file() throws IOException {
        if (!isFolder()) {
            return path;
        }
        List<Path> found = CheckpointDirectory.configurations(path);
        if (found.size() != 1) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    found.isEmpty()
                            ? path + " has no configuration file of FTI"
                            : path + " has several configuration files; name one of " + found);
        }
        return found.get(0).normalize();
    }

    /**
     * Returns all configuration files of the folder and of the folders below it. Directories of checkpoints are not
     * searched, and symbolic links not followed.
     *
     * @throws CommandException the folder has none
     */
    public List<Path> all() throws IOException {
        List<Path> found = new ArrayList<>();
        search(path, found, new HashSet<>());
        if (found.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, "there is no configuration file of FTI in " + path + " and below it");
        }
        return found;
    }

    private static void search(Path folder, List<Path> found, Set<Path> data) throws IOException {
        for (Path config : CheckpointDirectory.configurations(folder)) {
            found.add(config.normalize());
            addDirectories(config, data);
        }
        List<Path> below;
        try (Stream<Path> entries = Files.list(folder)) {
            below = entries.filter(each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        }
        for (Path each : below) {
            if (!data.contains(absolute(each))) {
                search(each, found, data);
            }
        }
    }

    /** Adds the directories of a configuration. */
    private static void addDirectories(Path config, Set<Path> data) throws IOException {
        try {
            IniFile ini = IniFile.parse(PathStatus.readText(config), config.toString());
            for (String key : List.of("ckpt_dir", "glbl_dir", "meta_dir")) {
                ini.get("basic", key).ifPresent(directory -> data.add(absolute(config.resolveSibling(directory))));
            }
        } catch (DrumlinException | InvalidPathException damaged) {
            // It is listed with what is wrong.
            return;
        }
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /** Opens the runs of a configuration file. Relative directories of the configuration are below its folder. */
    public static RunCatalogue open(Path config) throws IOException {
        Path folder = config.toAbsolutePath().getParent();
        return RunCatalogue.open(config, folder == null ? config : folder);
    }
}
