package io.drumlin.bench;

/**
 * Operations on names of files and directories. Reads, writes and syncs of a file's data are none.
 *
 * @param shared in a file system of all nodes, whose server of metadata is asked, and not on the disk of a node
 * @param count of operations, one after the other
 */
record FileOperation(Kind kind, boolean shared, long count) implements Step {

    private static final double MICRO = 1e-6;

    /**
     * The operations and their costs in a shared directory. Figures with a source are those of mdtest on one server
     * of metadata with Lustre, "Dell Storage for HPC with Intel Enterprise Edition for Lustre software", figures 12 and 13: one client
     * thread makes 504 files, 1,800 directories, 2,000 stats or 1,800 removals a second; up to 240 threads make 15,000, 19,000,
     * 400,000 and 100,000. The others are assumptions.
     */
    enum Kind {
        /** Opens an existing file. Assumed to cost what a stat costs. */
        OPEN(500, 2.5),
        CREATE(2000, 67),
        STAT(500, 2.5),
        MAKE_DIRECTORY(550, 53),
        DELETE(550, 10),
        /** Assumed to cost what a directory costs: it changes one or two. */
        RENAME(550, 53),
        /** A second name, or other attributes. Assumed to cost what a directory costs. */
        CHANGE(550, 53),
        /** Syncs a directory. Assumed: a commit of the server's journal. */
        SYNC(2000, 67),
        /** Begin of a list. Assumed to cost what a stat costs. */
        LIST(500, 2.5),
        /** A name in a list. Assumed: 100 names in an answer. No operation of its own. */
        NAME(5, 0.025);

        private final double latency;
        private final double service;

        Kind(double latencyMicros, double serviceMicros) {
            latency = latencyMicros * MICRO;
            service = serviceMicros * MICRO;
        }

        /** Seconds until a client has its answer from an idle server. */
        double latency() {
            return latency;
        }

        /** Seconds for which the server is busy with it. */
        double service() {
            return service;
        }
    }

    FileOperation times(long newCount) {
        return new FileOperation(kind, shared, newCount);
    }
}
