package io.drumlin.hosts;

import io.drumlin.comm.Mpirun;
import io.drumlin.hosts.HostLossRank.Where;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A run that loses a host again and again. All of it follows from the seed, but for what the ranks that go on do meanwhile. */
final class HostLossLife {

    private static final int NODES = 4;
    private static final int EACH = 2;
    private static final int LOSSES = 4;
    private static final int LIMIT_SECONDS = 90;

    /** With these mpirun notices within 4 s that a host is gone without a word. Users are advised to wait longer. */
    private static final List<String> KEEP_ALIVE = List.of(
            "--mca",
            "oob_tcp_keepalive_time",
            "2",
            "--mca",
            "oob_tcp_keepalive_intvl",
            "1",
            "--mca",
            "oob_tcp_keepalive_probes",
            "2");

    private final Hosts hosts;
    private final Random random;
    private final long seed;
    private final Path folder;
    private final Map<String, Integer> counts;
    private final HostLossModel model = new HostLossModel();
    private final StringBuilder story = new StringBuilder();

    /** The host of each place, which is where its disk is. */
    private final List<String> hostOfPlace = new ArrayList<>();

    private int ioMode;
    private String levels = "";
    private int jobs;
    private int named;
    private long longest;

    HostLossLife(Hosts hosts, long seed, Map<String, Integer> counts) {
        this.hosts = hosts;
        this.seed = seed;
        this.counts = counts;
        random = new Random(seed);
        folder = hosts.shared().resolve("life" + seed);
    }

    /** Milliseconds from the loss of a host to the end of its job, at most. */
    long longest() {
        return longest;
    }

    String story() {
        return story.toString();
    }

    /** @param losses how many hosts are lost yet, at most */
    void run(int losses) throws IOException, InterruptedException {
        ioMode = List.of(1, 2, 3, 3, 4, 5).get(random.nextInt(6));
        levels = random.ints(12, 1, 5).mapToObj(Integer::toString).collect(Collectors.joining());
        say("seed " + seed + ": mode " + ioMode + ", levels " + levels);
        makeRun();
        for (int place = 0; place < NODES; place++) {
            hostOfPlace.add("node" + (place + 1));
        }
        int last = 0;
        int most = Math.min(LOSSES, losses);
        try {
            for (int i = 0; i <= most; i++) {
                last += 1 + random.nextInt(3);
                Where where = i == most ? Where.NEVER : where(i);
                if (!job(where, last)) {
                    break;
                }
            }
        } finally {
            for (String host : hosts.up()) {
                hosts.call("crash", host);
            }
            for (int i = 1; i <= named; i++) {
                wipe("spare" + i);
            }
            for (int i = 1; i <= NODES; i++) {
                wipe("node" + i);
            }
        }
    }

    private void wipe(String host) throws IOException, InterruptedException {
        if (Files.exists(hosts.disk(host))) {
            hosts.call("wipe", host);
        }
    }

    private Where where(int i) {
        return List.of(
                        Where.COMPUTATION,
                        Where.CHECKPOINT,
                        Where.CHECKPOINT,
                        Where.CHECKPOINT,
                        Where.RESTART,
                        Where.END)
                .get(random.nextInt(i == 0 ? 4 : 6));
    }

    private void makeRun() throws IOException {
        for (String name : List.of("global", "meta")) {
            Files.createDirectories(folder.resolve(name));
        }
        Files.writeString(
                folder.resolve("config.fti"),
                """
                [basic]
                head           = 0
                node_size      = %d
                group_size     = %d
                ckpt_dir       = %s
                glbl_dir       = %s
                meta_dir       = %s
                ckpt_io        = %d
                keep_last_ckpt = 0
                verbosity      = 2

                [restart]
                failure        = 0

                [advanced]
                block_size     = 1024
                transfer_size  = 16
                local_test     = 0
                """
                        .formatted(
                                EACH, NODES, hosts.local(), folder.resolve("global"), folder.resolve("meta"), ioMode));
    }

    /** Runs a job until it loses a host, or to its end; returns whether another one makes sense. */
    private boolean job(Where where, int last) throws IOException, InterruptedException {
        jobs++;
        List<String> order = new ArrayList<>(hostOfPlace);
        if (random.nextBoolean()) {
            Collections.shuffle(order, random);
        }
        boolean byNode = random.nextBoolean();
        int operations = random.nextInt(where == Where.CHECKPOINT ? 14 : 24);
        int victim = random.nextInt(NODES * EACH);
        String lost = order.get(byNode ? victim % NODES : victim / EACH);
        int place = hostOfPlace.indexOf(lost);
        boolean cut = random.nextInt(3) == 0;
        say("job " + jobs + " on " + order + (byNode ? " in turn" : "") + " to " + last + ", stops: " + where
                + " of rank " + victim + " on " + lost + " after " + operations + " operations");
        hosts.call(boot(order));
        Files.deleteIfExists(folder.resolve("stopped"));
        Files.deleteIfExists(folder.resolve("events"));
        Path output = folder.resolve("output" + jobs);
        Process process = command(order, byNode, last, where, victim, operations)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean stopped = untilStopped(process);
            if (stopped) {
                Thread.sleep(random.nextInt(30));
                long begin = System.nanoTime();
                hosts.call(cut ? "cut" : "crash", lost);
                boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
                long millis = (System.nanoTime() - begin) / 1_000_000;
                longest = Math.max(longest, millis);
                say((cut ? "cut " : "crash of ") + lost + ", the job ended after " + millis + " ms");
                count((cut ? "cut, " : "crash, ") + where);
                if (!ended) {
                    throw new AssertionError("HANG after the loss of a host");
                }
            }
            List<String> events = events();
            say(String.join(", ", events));
            String text = Files.readString(output);
            if (text.contains("WRONG")) {
                throw new AssertionError(text);
            }
            if (!stopped && process.exitValue() != 0) {
                if (!text.contains("at no level")) {
                    throw new AssertionError("a job failed: " + text);
                }
                count("nothing left");
                model.refused();
                say("nothing is left of " + model);
                return false;
            }
            if (!stopped && where != Where.NEVER) {
                throw new AssertionError("no rank stopped");
            }
            model.job(events);
        } catch (AssertionError e) {
            say(Files.readString(output));
            throw e;
        } finally {
            process.destroyForcibly().waitFor();
            for (String host : hosts.up()) {
                hosts.call("crash", host);
            }
        }
        if (where != Where.NEVER) {
            fate(place);
        }
        return true;
    }

    private boolean untilStopped(Process process) throws InterruptedException {
        long end = System.nanoTime() + LIMIT_SECONDS * 1_000_000_000L;
        while (!Files.exists(folder.resolve("stopped"))) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                return Files.exists(folder.resolve("stopped"));
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("HANG before a host was lost");
            }
        }
        return true;
    }

    private List<String> events() throws IOException {
        Path events = folder.resolve("events");
        return Files.exists(events) ? Files.readAllLines(events) : List.of();
    }

    /** What the host that was lost comes back as, and what becomes of the others' names. */
    private void fate(int place) throws IOException, InterruptedException {
        String lost = hostOfPlace.get(place);
        Path old = folder.resolve("old" + place);
        int fate = random.nextInt(4);
        if (fate == 0 && Files.exists(old)) {
            say(lost + " has an old disk");
            count("old disk");
            hosts.call("wipe", lost);
            Hosts.run(
                    new ProcessBuilder("cp", "-a", old + "/.", hosts.disk(lost).toString()));
            model.lose(place);
        } else if (fate <= 1) {
            say(lost + " keeps its disk");
            count("disk kept");
        } else {
            say(lost + " has an empty disk");
            count("disk wiped");
            hosts.call("wipe", lost);
            model.lose(place);
        }
        int saved = random.nextInt(NODES);
        if (saved != place && !Files.exists(folder.resolve("old" + saved))) {
            Hosts.run(new ProcessBuilder(
                    "cp",
                    "-a",
                    hosts.disk(hostOfPlace.get(saved)).toString(),
                    folder.resolve("old" + saved).toString()));
        }
        if (random.nextBoolean()) {
            rename(place, "spare" + ++named);
        }
        if (random.nextInt(3) == 0) {
            int other = (place + 1 + random.nextInt(NODES - 1)) % NODES;
            String name = hostOfPlace.get(place);
            String otherName = hostOfPlace.get(other);
            rename(other, "spare" + ++named);
            rename(place, otherName);
            if (random.nextBoolean()) {
                rename(other, name);
            }
        }
        say("disks on " + hostOfPlace + ", left: " + model);
    }

    /** Puts the disk of a place into another host. */
    private void rename(int place, String host) throws IOException, InterruptedException {
        Path from = hosts.disk(hostOfPlace.get(place));
        Path to = hosts.disk(host);
        if (Files.exists(to)) {
            hosts.call("wipe", host);
            Files.delete(to);
        }
        Files.createDirectories(to.getParent());
        Files.move(from, to);
        Files.createDirectory(from);
        hostOfPlace.set(place, host);
        count("disk in another host");
    }

    private static String[] boot(List<String> names) {
        List<String> command = new ArrayList<>(List.of("boot"));
        command.addAll(names);
        return command.toArray(String[]::new);
    }

    /** All are one job of a batch system, which comes again: otherwise each restart would wait whether the one before still runs. */
    private ProcessBuilder command(
            List<String> order, boolean byNode, int last, Where where, int victim, int operations) {
        List<String> options = new ArrayList<>(List.of("-x", "JOB_ID=life"));
        options.addAll(KEEP_ALIVE);
        options.addAll(List.of(
                "--mca",
                "plm_rsh_agent",
                "/tmp/agent",
                "--mca",
                "plm_rsh_no_tree_spawn",
                "1",
                "--map-by",
                byNode ? "node" : "slot",
                "--host",
                order.stream().map(host -> host + ":" + EACH).collect(Collectors.joining(","))));
        List<String> command = Mpirun.ranks(NODES * EACH)
                .options(options.toArray(String[]::new))
                .jvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m")
                .command(
                        HostLossRank.class,
                        folder.toString(),
                        Integer.toString(jobs),
                        levels,
                        Integer.toString(last),
                        where.name(),
                        Integer.toString(where == Where.NEVER ? -1 : victim),
                        Integer.toString(operations))
                .command();
        // A host has a working directory of its own.
        command.replaceAll(word -> word.equals(System.getProperty("java.class.path")) ? absolute(word) : word);
        return hosts.command(
                "run",
                "login",
                "exec " + command.stream().map(HostLossLife::quoted).collect(Collectors.joining(" ")));
    }

    private static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private void say(String line) {
        story.append(line).append('\n');
    }

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }
}
