package io.drumlin.scr;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file in which a job is told to halt (docs/formats/scr.md, section 8). A change replaces it by a rename. SCR's own
 * programs lock the file itself, which a rename passes by: what they change in the same moment may be lost. Not
 * thread-safe.
 */
public final class HaltFile {

    private final ScrPrefix prefix;
    private final KvTreeStore store;

    /**
     * Names the file of a prefix directory; it need not exist.
     *
     * @param prefix the prefix directory
     * @param storage how files are written
     */
    public HaltFile(ScrPrefix prefix, StorageEngine storage) {
        this.prefix = prefix;
        this.store = new KvTreeStore(storage);
    }

    /**
     * Reads the conditions.
     *
     * @return none if there is no file
     * @throws IOException the file cannot be read
     */
    public HaltConditions read() throws IOException {
        return HaltConditions.of(store.readIfThere(prefix.halt()));
    }

    /** What is to be changed. */
    public static final class Change {

        private final KvTree tree;

        private Change(KvTree tree) {
            this.tree = tree;
        }

        /**
         * Sets or removes how many checkpoints are left.
         *
         * @param count empty to remove it
         * @return this
         */
        public Change checkpointsLeft(OptionalLong count) {
            return set(HaltConditions.CHECKPOINTS_LEFT, count);
        }

        /**
         * Sets or removes after which time to halt.
         *
         * @param seconds since 1970; empty to remove it
         * @return this
         */
        public Change exitAfter(OptionalLong seconds) {
            return set(HaltConditions.EXIT_AFTER, seconds);
        }

        /**
         * Sets or removes before which time to halt.
         *
         * @param seconds since 1970; empty to remove it
         * @return this
         */
        public Change exitBefore(OptionalLong seconds) {
            return set(HaltConditions.EXIT_BEFORE, seconds);
        }

        /**
         * Sets or removes how long before.
         *
         * @param seconds empty to remove it
         * @return this
         */
        public Change haltSeconds(OptionalLong seconds) {
            return set(HaltConditions.HALT_SECONDS, seconds);
        }

        /**
         * Sets or removes the reason to halt at once.
         *
         * @param reason null to remove it
         * @return this
         */
        public Change exitReason(@Nullable String reason) {
            tree.remove(HaltConditions.EXIT_REASON);
            if (reason != null) {
                tree.set(HaltConditions.EXIT_REASON, reason);
            }
            return this;
        }

        private Change set(String key, OptionalLong value) {
            tree.remove(key);
            value.ifPresent(number -> tree.set(key, number));
            return this;
        }
    }

    /**
     * Changes the conditions; others stay.
     *
     * @param change what to do
     * @return the conditions afterwards
     * @throws IOException the file could not be replaced: the old one is there
     */
    public HaltConditions update(Consumer<Change> change) throws IOException {
        KvTree tree = store.readIfThere(prefix.halt());
        change.accept(new Change(tree));
        store.makeDirectory(prefix.scr());
        store.replace(prefix.halt(), tree);
        return HaltConditions.of(tree);
    }
}
