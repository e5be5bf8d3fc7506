package io.drumlin.examples;

/** The message of an example that was started without the required arguments. */
final class Usage {

    /** As in sysexits.h. */
    private static final int WRONG_COMMAND_LINE = 64;

    private Usage() {}

    /** Ends the process if there are fewer arguments. Every rank of a job has the same arguments. */
    static void require(String[] arguments, int least, String usage) {
        if (arguments.length < least) {
            System.err.println("usage: java -cp drumlin-examples.jar io.drumlin.examples." + usage);
            System.exit(WRONG_COMMAND_LINE);
        }
    }
}
