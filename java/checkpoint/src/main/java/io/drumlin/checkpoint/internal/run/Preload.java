package io.drumlin.checkpoint.internal.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/**
 * Loads the classes of a first checkpoint while the program does something else. The classes are not initialised,
 * because two threads that begin with different classes could wait for each other.
 */
final class Preload implements Runnable {

    private static final System.Logger LOG = System.getLogger(Preload.class.getName());

    /** File with the names of the classes, one per line. */
    static final String NAMES = "preload.txt";

    private static boolean started;

    /** Starts the thread that loads the classes, at the first call only. */
    static synchronized void start() {
        if (!started) {
            started = true;
            Thread thread = new Thread(null, new Preload(), "drumlin-preload", 0, false);
            thread.setDaemon(true);
            try {
                thread.start();
            } catch (OutOfMemoryError e) {
                LOG.log(Level.DEBUG, "there is no thread to load classes ahead", e);
            }
        }
    }

    /** Loads the classes. A failure here occurs again where the class is needed, and is reported there. */
    @Override
    public void run() {
        InputStream names = Preload.class.getResourceAsStream(NAMES);
        if (names == null) {
            return;
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(names, StandardCharsets.US_ASCII))) {
            for (String name = lines.readLine(); name != null; name = lines.readLine()) {
                load(name);
            }
        } catch (IOException | ClassNotFoundException | LinkageError e) {
            LOG.log(Level.DEBUG, "not all classes are loaded ahead", e);
        }
    }

    @SuppressWarnings("ReturnValueIgnored")
    private static void load(String name) throws ClassNotFoundException {
        Class<?> loaded = Class.forName(name, false, Preload.class.getClassLoader());
        // This call verifies the class, which takes longer than reading it.
        loaded.getDeclaredConstructors();
    }
}
