/** The command {@code drumlin}. It is a program and no API, so it exports nothing. */
module io.drumlin.cli {
    requires jdk.jfr;
    requires static org.jspecify;
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.drumlin.core;
    requires me.tongfei.progressbar;

    // picocli sets the fields of the options.
    opens io.drumlin.cli to
            info.picocli;
}
