/** SCR: its calls over its index and datasets. {@link io.drumlin.scr.SCR} is the first page to read. */
@SuppressWarnings("module") // the others are compiled after this one
module io.drumlin.scr {
    requires transitive io.drumlin.formats;
    requires static org.jspecify;

    exports io.drumlin.scr;
    exports io.drumlin.scr.internal.halt to
            io.drumlin.cli;
    exports io.drumlin.scr.internal.index to
            io.drumlin.cli;
    exports io.drumlin.scr.internal.scavenge to
            io.drumlin.cli;
    exports io.drumlin.scr.internal.store to
            io.drumlin.cli;
}
