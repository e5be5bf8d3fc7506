/** GSD files and HOOMD trajectories. {@link io.drumlin.gsd.GsdFile} is the first page to read. */
module io.drumlin.gsd {
    requires transitive io.drumlin.formats;
    requires static org.jspecify;

    exports io.drumlin.gsd;
}
