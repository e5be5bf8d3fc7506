/**
 * Checkpoints. {@link io.drumlin.checkpoint} and {@link io.drumlin.fti} are the packages to begin with.
 *
 * <p>The packages that are not exported are not API and may change in any release. {@code jdk.jfr} and {@code
 * jdk.unsupported} (events, and signals that announce the end of a job) are required, because the JVM would leave them out
 * of programs on the module path that do not ask for them. On the class path Drumlin does without them.
 *
 * @uses io.drumlin.checkpoint.CheckpointsProvider there is only one, in this module
 * @provides io.drumlin.checkpoint.CheckpointsProvider the checkpoint engine
 */
// module: the command is compiled after this one.
@SuppressWarnings("module")
module io.drumlin.checkpoint {
    requires transitive io.drumlin.base;
    requires io.drumlin.formats;
    requires io.drumlin.scr;
    requires io.drumlin.sion;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires static org.jspecify;

    exports io.drumlin.checkpoint;
    exports io.drumlin.fti;
    exports io.drumlin.checkpoint.internal.config to
            io.drumlin.cli;

    uses io.drumlin.checkpoint.CheckpointsProvider;

    provides io.drumlin.checkpoint.CheckpointsProvider with
            io.drumlin.checkpoint.internal.run.EngineProvider;
}
