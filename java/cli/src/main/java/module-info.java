/** The command {@code drumlin}. It is a program and no API, so it exports nothing. */
module io.drumlin.cli {
    requires jdk.jfr;
    requires static org.jspecify;
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.drumlin.core;
    requires me.tongfei.progressbar;

    // picocli sets the fields of the options. No open module: Error Prone takes its comment for misplaced.
    opens io.drumlin.cli to
            info.picocli;
    opens io.drumlin.cli.base to
            info.picocli;
    opens io.drumlin.cli.convert to
            info.picocli;
    opens io.drumlin.cli.diff to
            info.picocli;
    opens io.drumlin.cli.input to
            info.picocli;
    opens io.drumlin.cli.inspect to
            info.picocli;
    opens io.drumlin.cli.launch to
            info.picocli;
    opens io.drumlin.cli.picture to
            info.picocli;
    opens io.drumlin.cli.run to
            info.picocli;
    opens io.drumlin.cli.stat to
            info.picocli;
    opens io.drumlin.cli.tools to
            info.picocli;
}
