/** Everything of Drumlin that needs no MPI: requires the modules that have it (docs/adr/020-modules-and-jars.md). */
module io.drumlin.core {
    requires transitive io.drumlin.base;
    requires transitive io.drumlin.checkpoint;
    requires transitive io.drumlin.formats;
    requires transitive io.drumlin.gsd;
    requires transitive io.drumlin.scr;
    requires transitive io.drumlin.sion;
}
