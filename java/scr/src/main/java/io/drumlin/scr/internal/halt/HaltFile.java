package io.drumlin.scr.internal.halt;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file that tells a job to halt (docs/formats/scr.md, section 8). A change replaces the file by a rename. SCR's own
 * programs lock the file itself, and the rename ignores that lock, so a change that they make at the same moment may be
 * lost. Not thread-safe.
 */
public final class HaltFile {

    private final ScrPrefix prefix;
    private final KvTreeStore store;

    /**
     * Names the file of a prefix directory; the file need not exist.
     *
     * @param prefix the prefix directory
     * @param storage the engine that writes the files
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

    /** The changes to make. */
    public static final class Change {

        private final KvTree tree;

        private Change(KvTree tree) {
            this.tree = tree;
        }

        /**
         * Sets or removes the number of checkpoints left.
         *
         * @param count empty to remove it
         * @return this
         */
        public Change checkpointsLeft(OptionalLong count) {
            return set(HaltConditions.CHECKPOINTS_LEFT, count);
        }

        /**
         * Sets or removes the time after which to halt.
         *
         * @param seconds seconds since 1970; empty to remove it
         * @return this
         */
        public Change exitAfter(OptionalLong seconds) {
            return set(HaltConditions.EXIT_AFTER, seconds);
        }

        /**
         * Sets or removes the time before which to halt.
         *
         * @param seconds seconds since 1970; empty to remove it
         * @return this
         */
        public Change exitBefore(OptionalLong seconds) {
            return set(HaltConditions.EXIT_BEFORE, seconds);
        }

        /**
         * Sets or removes the number of seconds to halt early.
         *
         * @param seconds number of seconds; empty to remove it
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
     * Changes some conditions and keeps the others.
     *
     * @param change makes the changes
     * @return the conditions after the change
     * @throws IOException the file could not be replaced; the old one is unchanged
     */
    public HaltConditions update(Consumer<Change> change) throws IOException {
        KvTree tree = store.readIfThere(prefix.halt());
        change.accept(new Change(tree));
        store.makeDirectory(prefix.scr());
        store.replace(prefix.halt(), tree);
        return HaltConditions.of(tree);
    }
}
