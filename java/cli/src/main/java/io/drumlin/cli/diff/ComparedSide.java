package io.drumlin.cli.diff;

import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.format.GsdContainer;
import io.drumlin.cli.input.CheckpointDirectory;
import io.drumlin.cli.input.ChosenOption;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** One of two checkpoints that are compared: a file, or a checkpoint of a run. */
interface ComparedSide {

    /** Work with a side. */
    @FunctionalInterface
    interface Use<T> {
        T with(ComparedSide side) throws IOException;
    }

    /**
     * What the command line says of a side.
     *
     * @param path a file or a run
     * @param metadata metadata of a file that has none itself, or null
     * @param execId the run, or null for the one of the configuration file
     * @param ckptId the checkpoint of the run, or null for the one from which a restart would start
     * @param option the option that chooses the checkpoint
     */
    record Said(Path path, @Nullable Path metadata, @Nullable String execId, @Nullable Integer ckptId, String option) {}

    /** Work on a part, which is a file with data. */
    @FunctionalInterface
    interface PartUse {

        /**
         * Works on a part.
         *
         * @param rank the rank of the run to which the file belongs; empty if it is of no run
         */
        void with(DataFile file, List<StoredData> data, OptionalInt rank) throws IOException;
    }

    /** Returns path and kind, for people. */
    String title();

    /** Returns the numbers of its parts in ascending order. */
    int[] parts() throws IOException;

    /** Returns what a part is, for people; empty for the only part. */
    String partName(int number);

    /** Opens a part. */
    void open(int number, PartUse use) throws IOException;

    /** Returns about how many bytes will be read. */
    long bytes() throws IOException;

    /**
     * Opens a file or a run.
     *
     * @param side what was said of it
     */
    static <T> T open(Said side, Use<T> use) throws IOException {
        Path path = side.path();
        Path metadata = side.metadata();
        Optional<CheckpointDirectory> run = ChosenOption.choose(
                CheckpointDirectory.of(path, Optional.empty(), Optional.ofNullable(side.execId())),
                side.ckptId(),
                path,
                side.option());
        if (run.isPresent()) {
            return run.get().fetchAll(files -> use.with(new OfRun(path, run.get(), files)));
        }
        try (FileSource source = FileSource.open(path)) {
            return use.with(new OfFile(source, Formats.of(source, metadata)));
        }
    }

    /** A file. Its parts are the frames of a trajectory; other files are one part. */
    record OfFile(FileSource source, RecognisedFile file) implements ComparedSide {

        @Override
        public String title() {
            return source.path() + ": " + file.title();
        }

        @Override
        public int[] parts() throws IOException {
            int[] numbers = new int[file.parts()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = i;
            }
            return numbers;
        }

        @Override
        public String partName(int number) {
            return file instanceof GsdContainer ? "frame " + number : "";
        }

        @Override
        public void open(int number, PartUse use) throws IOException {
            use.with(file, file.part(number), OptionalInt.empty());
        }

        @Override
        public long bytes() {
            return source.size() + (file.digestsInOrder().isEmpty() ? file.checkedBytes() : 0);
        }
    }

    /** The files of all ranks of a run, which are verified. */
    record OfRun(Path path, CheckpointDirectory run, List<RankFile> files) implements ComparedSide {

        @Override
        public String title() {
            RankFile one = files.get(0);
            return path + ": run in the mode " + run.mode() + ", checkpoint " + one.ckptId() + " of level "
                    + one.level().number() + ", " + files.size() + " ranks";
        }

        @Override
        public int[] parts() {
            return files.stream().mapToInt(RankFile::rank).toArray();
        }

        @Override
        public String partName(int number) {
            return "rank " + number;
        }

        @Override
        public void open(int number, PartUse use) throws IOException {
            for (RankFile each : files) {
                if (each.rank() == number) {
                    run.open(each, (file, rank) -> {
                        use.with(file, file.data(), rank);
                        return file;
                    });
                }
            }
        }

        @Override
        public long bytes() throws IOException {
            long sum = 0;
            for (RankFile each : files) {
                sum += each.variables().isEmpty()
                        ? PathStatus.size(each.path())
                        : each.variables().values().stream()
                                .flatMap(List::stream)
                                .mapToLong(part -> part.length())
                                .sum();
            }
            return sum;
        }
    }
}
