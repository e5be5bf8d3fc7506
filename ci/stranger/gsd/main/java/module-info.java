/** A program that needs files of GSD, and nothing else of Drumlin. */
module trajectory {
    requires io.drumlin.gsd;
}
