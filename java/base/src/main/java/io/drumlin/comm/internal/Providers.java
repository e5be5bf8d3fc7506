package io.drumlin.comm.internal;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.internal.files.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Asks the providers of communicators, and of files that the carrier of the messages writes. Thread-safe. */
public final class Providers {

    private Providers() {}

    /**
     * A question to a provider.
     *
     * @param <T> what is asked for
     */
    @FunctionalInterface
    public interface Question<T> {
        /**
         * Asks.
         *
         * @param provider is asked
         * @return empty if it has no answer
         * @throws IOException its answer is an error
         */
        Optional<T> ask(CommunicatorProvider provider) throws IOException;
    }

    /**
     * Asks one provider after the other.
     *
     * @param <T> what is asked for
     * @param question to each, until one answers
     * @return the first answer; empty if there is none
     * @throws IOException that of a provider, or one of them does not load
     */
    public static <T> Optional<T> first(Question<T> question) throws IOException {
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                Optional<T> answer = question.ask(provider);
                if (answer.isPresent()) {
                    return answer;
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw DrumlinException.during("looking for communicators")
                    .problem("a communicator provider on the class path does not load: " + e)
                    .advice("use jars of one Drumlin version")
                    .cause(e)
                    .exception();
        }
        return Optional.empty();
    }

    /**
     * Makes a file that the ranks write through the carrier of their messages, replacing an old one. Collective.
     *
     * @param ranks any communicator
     * @param path the same on all ranks
     * @param hints keys and values for the carrier, the same on all ranks; it ignores those that it does not know
     * @return empty if the carrier has no files
     * @throws IOException on all ranks: the file cannot be made
     */
    public static Optional<SharedFile> create(Communicator ranks, Path path, Map<String, String> hints)
            throws IOException {
        return ranks.nativeHandle().isEmpty()
                ? Optional.empty()
                : first(provider -> provider.create(ranks, path, hints));
    }

    /**
     * Opens a file of this rank alone through the carrier of the messages. Not collective, and no call on the file is.
     *
     * @param ranks any communicator
     * @param path the file
     * @param access what the file is opened for
     * @param hints keys and values for the carrier, which ignores those that it does not know
     * @return empty if the carrier has no files
     * @throws IOException the file cannot be opened
     */
    public static Optional<SharedFile> openAlone(
            Communicator ranks, Path path, SharedFile.Access access, Map<String, String> hints) throws IOException {
        return ranks.nativeHandle().isEmpty()
                ? Optional.empty()
                : first(provider -> provider.openAlone(ranks, path, access, hints));
    }
}
