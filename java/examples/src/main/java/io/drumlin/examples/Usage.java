package io.drumlin.examples;

/** What an example says that was started without what it needs. */
final class Usage {

    /** As in sysexits.h. */
    private static final int WRONG_COMMAND_LINE = 64;

    private Usage() {}

    /** Ends the process if there are fewer arguments; every rank of a job has the same. */
    static void require(String[] arguments, int least, String usage) {
        if (arguments.length < least) {
            System.err.println("usage: java -cp drumlin-examples.jar io.drumlin.examples." + usage);
            System.exit(WRONG_COMMAND_LINE);
        }
    }
}
