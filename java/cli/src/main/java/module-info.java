/** The command {@code drumlin}. It is a program and no API, so it exports nothing; picocli sets the fields of the options. */
open module io.drumlin.cli {
    requires jdk.jfr;
    requires static org.jspecify;
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.drumlin.core;
    requires me.tongfei.progressbar;
}
