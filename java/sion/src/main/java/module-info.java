/** SIONlib files. {@link io.drumlin.sion.SionFile} is the first page to read. */
module io.drumlin.sion {
    requires transitive io.drumlin.formats;
    requires static org.jspecify;

    exports io.drumlin.sion;
}
