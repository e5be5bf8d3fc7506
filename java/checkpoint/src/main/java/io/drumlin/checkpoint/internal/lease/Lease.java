package io.drumlin.checkpoint.internal.lease;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a second job away from the directories of a run (docs/formats/fti-run-directory.md, section 11). The lease is a
 * file that names the process that writes to the directories. A thread counts in it, because between two checkpoints
 * nothing else distinguishes a job that computes on another host from a killed one.
 *
 * <p>A start waits until it has seen whether the file's bytes change. Therefore neither clocks nor the times of files count,
 * and a killed job does not keep another from starting. One rank of the run has the lease.
 */
public final class Lease implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** The tokens of the leases that this program has. */
    private static final Set<String> HELD = ConcurrentHashMap.newKeySet();

    /** How often a lease is renewed while a start watches it. */
    private static final int RENEWALS = 3;

    /** How long a process may take to end while it is being killed. */
    public static final Duration GRACE = Duration.ofSeconds(5);

    private static final long POLL_MILLIS = 50;

    /** How often a lease is read, at most, while it is watched. */
    private static final int LOOKS = 200;

    private final Path file;
    private final LeaseHolder holder;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread renewal;
    private final Thread atExit;
    private volatile boolean told;
    private volatile long toldNanos;

    private volatile boolean hasCheckpoints;

    /** The file of this lease, by whatever name. No channel: an interrupt would close it. */
    private @Nullable RandomAccessFile written;

    private long renewals;

    private Lease(Path file, LeaseHolder holder, Duration watch) {
        this.file = file;
        this.holder = holder;
        renewal = new Thread(null, () -> renew(watch.dividedBy(RENEWALS)), "drumlin-lease", 0, false);
        renewal.setDaemon(true);
        // A batch system sends a signal some seconds before it kills a job.
        atExit = new Thread(null, this::leave, "drumlin-lease-exit", 0, false);
    }

    /**
     * Takes the lease of a run. Waits if another job may have it.
     *
     * @param holder this process
     * @param watch how long a lease must stay unrenewed before it is taken over
     * @param grace how long to wait for a process on this machine to end
     * @return the lease, to be closed; empty if it cannot be written, which is logged
     * @throws DrumlinException another job has it
     */
    public static Optional<Lease> take(Path file, LeaseHolder holder, Duration watch, Duration grace)
            throws DrumlinException {
        return take(file, holder, watch, grace, "");
    }

    private static Optional<Lease> take(Path file, LeaseHolder holder, Duration watch, Duration grace, String ended)
            throws DrumlinException {
        Lease lease = new Lease(file, holder, watch);
        try {
            lease.take(watch, grace, ended);
            HELD.add(holder.token());
            lease.renewal.start();
            Runtime.getRuntime().addShutdownHook(lease.atExit);
            return Optional.of(lease);
        } catch (DrumlinException refused) {
            throw refused;
        } catch (IOException | OutOfMemoryError | IllegalStateException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "nothing keeps a second job away from this run, for {0} cannot be kept: {1}",
                    file,
                    e.toString());
            lease.close();
            return Optional.empty();
        }
    }

    /**
     * Takes the lease of a run for this process; otherwise like {@link #take(Path, LeaseHolder, Duration, Duration)}.
     *
     * @param watch zero for none
     * @param ended what {@link #ended} has returned
     */
    public static Optional<Lease> take(Path file, Duration watch, String ended) throws DrumlinException {
        if (watch.isZero()) {
            return Optional.empty();
        }
        try {
            return take(file, LeaseHolder.here(System::getenv), watch, GRACE, ended);
        } catch (DrumlinException refused) {
            throw refused;
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "this process cannot be named in {0}: {1}", file, e.toString());
            return Optional.empty();
        }
    }

    /**
     * Lets the ranks on the machine of the process that a lease names look whether it has ended, because the rank that takes
     * the lease may be on another machine. Collective.
     *
     * @param looks whether this rank looks; one of each node is enough
     * @param grace how long to wait for that process to end
     * @return the token of the lease if its process has ended; otherwise empty
     */
    public static String ended(Communicator ranks, Path file, boolean looks, Duration grace) throws IOException {
        String text = "";
        try {
            text = ranks.rank() == 0 ? PathStatus.readText(file) : "";
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "whoever takes the lease says what is wrong with it", e);
        }
        LeaseHolder other = LeaseHolder.of(Agreement.bcast(ranks, text, 0));
        if (other.token().isEmpty()) {
            return "";
        }
        boolean ended = Agreement.call(ranks, "looking for process " + other.pid() + " of " + other.host(), () -> {
            LeaseHolder here = LeaseHolder.here(System::getenv);
            boolean seen = looks && other.isOnMachineOf(here) && !other.isThisProcess(here);
            return seen && ends(other, grace);
        });
        return Agreement.any(ranks, ended) ? other.token() : "";
    }

    /**
     * Throws if the run starts in another way by now: the job that had the lease has completed it, while this start, which
     * has read the configuration before, waited.
     *
     * @param config what this start has read
     * @param file the configuration file
     */
    public static void requireSameStart(FtiConfig config, Path file) throws IOException {
        FtiConfig now = FtiConfig.parse(TextFiles.read(file), file.toString());
        if (now.execId().equals(config.execId()) && now.failure() != config.failure()) {
            throw DrumlinException.during("restart")
                    .path(file)
                    .problem("another job has ended run " + config.execId() + " since this one read failure = "
                            + config.failure() + " here: it says failure = " + now.failure() + " now")
                    .advice("see what that job has left, and start again as the file says now, or not at all")
                    .exception();
        }
    }

    private void take(Duration watch, Duration grace, String ended) throws IOException {
        Path own = file.resolveSibling(file.getFileName() + "." + holder.token());
        try {
            boolean taken = false;
            while (!taken) {
                try {
                    make(own);
                    taken = true;
                } catch (IOException e) {
                    taken = isTakenOver(e, own, watch, grace, ended);
                }
            }
        } finally {
            Files.deleteIfExists(own);
        }
    }

    /** Puts a written lease into its place, so that a kill leaves the whole lease or none. */
    private void make(Path own) throws IOException {
        if (written == null) {
            write(own);
        }
        try {
            Files.createLink(file, own);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException noLinks) {
            Files.createFile(file);
            Files.move(own, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Takes the lease over from a job that has ended; returns false if there is no lease any more. */
    private boolean isTakenOver(IOException notMade, Path own, Duration watch, Duration grace, String ended)
            throws IOException {
        Optional<String> other = readOther();
        if (other.isPresent()) {
            requireEnded(LeaseHolder.of(other.get()), watch, grace, ended);
        }
        if (!(notMade instanceof FileAlreadyExistsException)) {
            throw notMade;
        }
        if (other.isEmpty()) {
            return false;
        }
        Files.move(own, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return true;
    }

    private void write(Path path) throws IOException {
        RandomAccessFile made = new RandomAccessFile(path.toFile(), "rw");
        written = made;
        made.write(holder.toText().getBytes(StandardCharsets.UTF_8));
        // A power loss would leave an empty one.
        made.getFD().sync();
    }

    /** Reads the lease of another job; throws if it cannot be determined whether there is one. */
    private Optional<String> readOther() throws DrumlinException {
        try {
            return read();
        } catch (IOException e) {
            throw unreadable("start", e)
                    .advice("mend the cause and start again; if no other job is running with this run's directories,"
                            + " delete this file")
                    .exception();
        }
    }

    private DrumlinException.Context unreadable(String operation, IOException failure) {
        DrumlinException.Context context = DrumlinException.during(operation)
                .path(file)
                .cause(failure)
                .problem("whether another job has this run's directories cannot be told: "
                        + IoFailures.explain("read", file, failure).getMessage());
        String errno = IoFailures.errno(failure);
        return errno == null ? context : context.errno(errno);
    }

    private void requireEnded(LeaseHolder other, Duration watch, Duration grace, String ended) throws IOException {
        if (other.isThisProcess(holder) && HELD.contains(other.token())) {
            throw DrumlinException.during("start")
                    .path(file)
                    .problem("this program has opened this run already and has not closed it")
                    .advice("close the first one, or give the second a configuration file of its own")
                    .exception();
        }
        if (other.isThisProcess(holder)) {
            return;
        }
        boolean here = other.isOnMachineOf(holder);
        boolean known = other.isOfJobOf(holder) || (!ended.isEmpty() && ended.equals(other.token()));
        // A kill has left it empty: who writes one needs no longer than that.
        Duration most = other.isEmpty() ? grace : watch;
        if (here ? !ends(other, grace) : !known && isRenewed(other, most)) {
            throw DrumlinException.during("start")
                    .path(file)
                    .problem("another job is running with this run's directories: " + other)
                    .advice("wait for its end or end it, and give each job a configuration file of its own;"
                            + " if there is no such job, delete this file")
                    .exception();
        }
        LOG.log(Logger.Level.INFO, "taking over from a job that has ended without closing the run: {0}", other);
    }

    private static boolean ends(LeaseHolder other, Duration grace) throws IOException {
        long begin = System.nanoTime();
        while (other.isAlive()) {
            if (System.nanoTime() - begin > grace.toNanos()) {
                return false;
            }
            pause(POLL_MILLIS);
        }
        return true;
    }

    /** Waits until a renewal has been seen, or the time is over. */
    private boolean isRenewed(LeaseHolder other, Duration watch) throws IOException {
        Optional<String> first = readOther();
        if (first.isEmpty() || LeaseHolder.isTold(first.get())) {
            return false;
        }
        LOG.log(
                Logger.Level.WARNING,
                "this run may be another job''s, {0}: waiting {1} s to see whether that renews {2}. Starts that pass one name"
                        + " on (mpirun -x DRUMLIN_JOB_ID) do not wait for each other, nor do those with lease = 0, where no"
                        + " two jobs may have one run",
                other,
                watch.toSeconds(),
                file);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < watch.toNanos()) {
            pause(Math.max(POLL_MILLIS, watch.toMillis() / LOOKS));
            Optional<String> now = readOther();
            if (!now.equals(first)) {
                return now.isPresent() && !LeaseHolder.isTold(now.get());
            }
        }
        return false;
    }

    private static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the thread was interrupted");
        }
    }

    private Optional<String> read() throws IOException {
        try {
            return Optional.of(PathStatus.readText(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * Throws if another job has taken over the lease. A missing lease does not belong to another job.
     *
     * @throws DrumlinException another job has this run's directories, or it cannot be determined whether one has
     */
    public void requireOwn() throws DrumlinException {
        Optional<LeaseHolder> now;
        try {
            now = read().map(LeaseHolder::of);
        } catch (IOException e) {
            throw unreadable("keeping the run's directories", e)
                    .advice("nothing in them has been changed: mend the cause and try again")
                    .exception();
        }
        if (now.isPresent() && !now.get().token().equals(holder.token())) {
            throw DrumlinException.during("keeping the run's directories")
                    .path(file)
                    .problem("another job has taken them over, " + now.get() + "; nothing in them has been changed")
                    .advice("end this job; the other one goes on from the last checkpoint, and each job needs a"
                            + " configuration file of its own")
                    .exception();
        }
    }

    /**
     * Lets another job take the lease over without watching it, for {@link #GRACE} at least. If this process is still
     * alive then, it renews the lease. For a process that was told to end, and may be killed before it can release the
     * lease. Thread-safe.
     */
    public void endsSoon() {
        toldNanos = System.nanoTime();
        told = true;
        mark(LeaseHolder.TOLD);
    }

    /** Says that the run has checkpoints: the end of the process releases the lease. Thread-safe. */
    public void hasCheckpoints() {
        hasCheckpoints = true;
    }

    private void renew(Duration pause) {
        long most = Math.min(pause.toNanos(), GRACE.toNanos());
        long renewed = System.nanoTime();
        try {
            while (!over.await(most, TimeUnit.NANOSECONDS)) {
                long now = System.nanoTime();
                if (told ? now - toldNanos >= GRACE.toNanos() : now - renewed >= pause.toNanos()) {
                    told = false;
                    renewed = now;
                    mark(LeaseHolder.renewed(++renewals));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Changes the end of what this lease has written. What another job has put into its place is another file. */
    private synchronized void mark(String end) {
        try {
            if (written != null) {
                byte[] bytes = end.getBytes(StandardCharsets.UTF_8);
                written.seek(written.length() - bytes.length);
                written.write(bytes);
                written.getFD().sync();
            }
        } catch (IOException e) {
            // A job that watches the lease may now take it over; this run's next checkpoint is then refused.
            LOG.log(Logger.Level.DEBUG, "the lease {0} was not renewed: {1}", file, e.toString());
        }
    }

    /**
     * Releases the lease at the end of the process. That of a run without checkpoints stays, because without it nobody could
     * tell that the run is dead.
     */
    private void leave() {
        over.countDown();
        if (hasCheckpoints) {
            delete();
        } else {
            mark(LeaseHolder.TOLD);
        }
    }

    private synchronized void delete() {
        over.countDown();
        try {
            if (written != null) {
                written.close();
            }
            if (read().map(LeaseHolder::of)
                    .filter(now -> now.token().equals(holder.token()))
                    .isPresent()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the lease {0} was not deleted: {1}", file, e.toString());
        }
    }

    /** Releases the lease, so that other jobs can continue the run. */
    @Override
    public void close() {
        delete();
        HELD.remove(holder.token());
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.log(Logger.Level.TRACE, "the process is ending", e);
        }
    }
}
