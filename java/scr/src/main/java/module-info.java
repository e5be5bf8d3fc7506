/** SCR: its calls over its index and datasets. {@link io.drumlin.scr.SCR} is the first page to read. */
module io.drumlin.scr {
    requires transitive io.drumlin.formats;
    requires static org.jspecify;

    exports io.drumlin.scr;
}
