package org.tutti.serve.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.serve.json.JsonException;
import org.tutti.serve.json.JsonTypes;

/// All jobs of a service, and the queue. Lock order: this object before a job, never the reverse.
public final class JobQueue {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int ID_BYTES = 16;

    /// Maximum job number accepted from a file: new jobs get higher numbers, so a huge number in a damaged file
    /// would leave no numbers for new jobs.
    private static final long MOST_NUMBER = Long.MAX_VALUE / 2;

    private final Path jobs;
    private final ServiceLimits limits;
    private final Map<String, ServedFunction> functions;
    private final int slots;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, ServiceJob> byId = new ConcurrentHashMap<>();

    /// Guarded by `this`, like all fields below.
    private final TreeMap<Long, ServiceJob> byNumber = new TreeMap<>();

    private final Map<String, CompletableFuture<ServiceJob>> byKey = new HashMap<>();
    private final ArrayDeque<ServiceJob> queue = new ArrayDeque<>();

    /// New jobs that have not been taken yet, but are already recorded on disk as `running`, because a slot was
    /// free when they were added.
    private final ArrayDeque<ServiceJob> startedJobs = new ArrayDeque<>();

    /// The jobs that have ended, in order of completion.
    private final ArrayDeque<ServiceJob> ended = new ArrayDeque<>();

    private final Map<JobState, Long> ends = new EnumMap<>(JobState.class);
    private double seconds;
    private long lastNumber;

    /// The number of jobs that will be queued as soon as the files are written.
    private int coming;

    /// Slots in use. A job that begins immediately occupies a slot before the file is written.
    private int running;
    private boolean closed;

    private JobQueue(Path jobs, ServiceLimits limits, Map<String, ServedFunction> functions, int slots) {
        this.jobs = jobs;
        this.slots = slots;
        this.limits = limits;
        this.functions = functions;
    }

    /// The queue is full.
    public static final class FullException extends RuntimeException {
        private static final long serialVersionUID = 1;

        FullException(int waiting) {
            super(waiting + " jobs wait already");
        }
    }

    /// The key is used by a different job.
    public static final class KeyException extends RuntimeException {
        private static final long serialVersionUID = 1;

        KeyException() {
            super("this Idempotency-Key was used for a call with a different function or argument");
        }
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /// Reads the jobs of a previous service: queued jobs are queued again, running jobs are lost.
    ///
    /// @param slots maximum number of running jobs
    public static JobQueue open(Path state, ServiceLimits limits, Map<String, ServedFunction> functions, int slots)
            throws IOException {
        Path jobs = state.resolve("jobs");
        if (!Files.isDirectory(jobs)) {
            StoreException.on(jobs, () -> Files.createDirectory(jobs, JobFiles.mode("rwx------")));
        }
        JobQueue queue = new JobQueue(jobs, limits, functions, slots);
        queue.load();
        return queue;
    }

    private synchronized void load() throws IOException {
        List<ServiceJob> sameNumber = new ArrayList<>();
        for (JobFiles files : JobFiles.all(jobs)) {
            ServiceJob job = read(files);
            if (job == null) continue;
            byId.put(job.id(), job);
            if (byNumber.putIfAbsent(job.number(), job) != null) sameNumber.add(job);
            job.key().ifPresent(key -> byKey.putIfAbsent(key, CompletableFuture.completedFuture(job)));
        }
        if (!byNumber.isEmpty()) lastNumber = Math.min(byNumber.lastKey(), MOST_NUMBER);
        for (ServiceJob job : sameNumber) {
            System.err.println("tutti: service: " + job.files() + " has the number " + job.number()
                    + " of a different job, and is placed last");
            job.number(++lastNumber);
            byNumber.put(job.number(), job);
        }
        for (ServiceJob job : byNumber.values()) {
            if (job.state() == JobState.RUNNING) {
                String why = job.isDamaged() ? "the file is damaged" : "the service ended while the job ran";
                // the line that recorded the end may be damaged, so the log states only what the file contains
                if (!job.isDamaged()) {
                    System.err.println(
                            "tutti: service: " + job.files() + " does not contain the end of the job; the job is lost");
                }
                job.end(JobState.LOST, null, JobError.of("lost", why));
            } else if (job.state() == JobState.QUEUED && isCallable(job)) {
                queue.add(job);
            }
        }
        byNumber.values().stream()
                .filter(job -> job.state().isFinal())
                .sorted(Comparator.comparing(
                        job -> Optional.ofNullable(job.ended()).orElse(Instant.EPOCH)))
                .forEach(ended::add);
        forget();
    }

    /// Reads a job; null if none, or if the first line is unreadable.
    private @Nullable ServiceJob read(JobFiles files) {
        try {
            List<byte[]> lines = files.lines();
            if (lines.size() < JobFiles.LINES_OF_A_NEW_ONE) {
                if (!lines.isEmpty()) JobLines.head(lines); // throws if the line is damaged, and not only cut off
                System.err.println("tutti: service: " + files + " is incomplete, and is removed");
                files.delete();
                return null;
            }
            ServiceJob job = ServiceJob.load(files, lines, limits.outputBytes());
            job.checkAge(Instant.now().minus(limits.keptTime()));
            if (job.isDamaged()) System.err.println("tutti: service: " + files + " is damaged");
            return job;
        } catch (RuntimeException | IOException e) {
            System.err.println("tutti: service: " + files + " is not a job and is ignored: " + e);
            return null;
        }
    }

    /// Returns whether the program still has the function of a job; if not, marks the job as failed.
    private boolean isCallable(ServiceJob job) {
        ServedFunction function = functions.get(job.function());
        String why = "the program has no function " + job.function() + " any more";
        if (job.isDamaged()) {
            why = "the file is damaged: the function or the argument has changed";
        } else if (function != null) {
            try {
                job.argument(JsonTypes.read(job.argumentBytes(), function.argument()));
                return true;
            } catch (JsonException | IOException e) {
                why = "the argument no longer has the function's type: " + e.getMessage();
            }
        }
        job.end(JobState.FAILED, null, JobError.of("refused", why));
        return false;
    }

    // ---- new jobs

    /// Creates a job and stores it on disk before returning; or returns the existing job with the same key.
    ///
    /// @param body the JSON of `argument`
    /// @throws FullException if the queue is full
    /// @throws KeyException if the key is used by a different job
    public ServiceJob add(ServedFunction function, byte[] body, @Nullable Object argument, @Nullable String key)
            throws IOException {
        String digest = digest(function.name(), body);
        CompletableFuture<ServiceJob> made = new CompletableFuture<>();
        CompletableFuture<ServiceJob> other;
        long number;
        boolean atOnce;
        synchronized (this) {
            other = key == null ? null : byKey.get(key);
            atOnce = other == null && !closed && running < slots && queue.isEmpty() && coming == 0;
            if (atOnce) {
                running++;
            } else if (other == null) {
                int waiting = queue.size() + coming;
                if (waiting >= limits.queue()) throw new FullException(waiting);
                coming++;
            }
            if (other == null && key != null) byKey.put(key, made);
            number = ++lastNumber;
        }
        if (other != null) return known(other, digest);
        try {
            byte[] line = JobFiles.argumentLine(body);
            JobLines.Head head = new JobLines.Head(
                            number, function.name(), Instant.now(), Optional.ofNullable(key), digest, Optional.empty())
                    .summed(line);
            ServiceJob job = write(head, line, argument, atOnce);
            synchronized (this) {
                if (!atOnce) coming--;
                byId.put(job.id(), job);
                byNumber.put(number, job);
                (atOnce ? startedJobs : queue).add(job);
                notifyAll();
            }
            made.complete(job);
            return job;
        } catch (IOException | RuntimeException | Error e) {
            synchronized (this) {
                if (atOnce) running--;
                else coming--;
                if (key != null) byKey.remove(key, made);
                notifyAll();
            }
            made.completeExceptionally(e);
            throw e;
        }
    }

    /// @param runs whether the job is running from the beginning
    private ServiceJob write(JobLines.Head head, byte[] line, @Nullable Object argument, boolean runs)
            throws IOException {
        List<byte[]> lines = new ArrayList<>(List.of(JobLines.of(head), line));
        if (runs) lines.add(JobLines.running(head.created()));
        JobFiles files = JobFiles.create(jobs, newId(), lines);
        return new ServiceJob(files, head, argument, runs, limits.outputBytes());
    }

    private static ServiceJob known(CompletableFuture<ServiceJob> other, String digest) throws IOException {
        ServiceJob job;
        try {
            job = other.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
        if (!job.digest().equals(digest)) throw new KeyException();
        return job;
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String digest(String function, byte[] body) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update((function + "\n").getBytes(UTF_8));
            return HexFormat.of().formatHex(sha.digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // each JDK has this algorithm
        }
    }

    // ---- the queue

    /// Removes and returns a job that is already recorded on disk as `running`, or, when a slot is free, the
    /// first queued job. Returns null after the queue was closed.
    synchronized @Nullable ServiceJob take() throws InterruptedException {
        while (!closed && startedJobs.isEmpty() && (queue.isEmpty() || running >= slots)) wait();
        if (closed) return null;
        if (!startedJobs.isEmpty()) return startedJobs.poll();
        running++;
        return queue.poll();
    }

    /// Puts a job that could not begin back at the head of the queue.
    synchronized void putBack(ServiceJob job) {
        running--;
        queue.addFirst(job);
        notifyAll();
    }

    /// Frees the slot of a job that has ended.
    synchronized void release(ServiceJob job) {
        running--;
        notifyAll();
        finished(job);
    }

    private void finished(ServiceJob job) {
        ends.merge(job.state(), 1L, Long::sum);
        Double took = job.seconds();
        if (took != null) seconds += took;
        ended.add(job);
        forget();
    }

    /// Removes jobs beyond the limits of number and age.
    private synchronized void forget() {
        Instant oldest = Instant.now().minus(limits.keptTime());
        while (!ended.isEmpty()) {
            ServiceJob first = ended.getFirst();
            Instant end = first.ended();
            if (ended.size() <= limits.kept() && end != null && end.isAfter(oldest)) return;
            ended.removeFirst();
            byId.remove(first.id());
            byNumber.remove(first.number());
            first.key().ifPresent(byKey::remove);
            try {
                first.delete();
            } catch (IOException e) {
                System.err.println("tutti: service: job " + first.id() + " cannot be removed: " + e);
            }
        }
    }

    /// Cancels a job: a waiting job never begins, a running job is interrupted.
    public void cancel(ServiceJob job) {
        boolean waited;
        synchronized (this) {
            waited = queue.remove(job);
        }
        if (!waited) {
            job.cancel();
            return;
        }
        job.end(JobState.CANCELLED, null, null);
        synchronized (this) {
            finished(job);
        }
    }

    /// Closes the queue: no more jobs begin.
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    // ---- queries

    /// Returns a job; null if none.
    public @Nullable ServiceJob find(String id) {
        return isId(id) ? byId.get(id) : null;
    }

    /// Returns at most `most` jobs, the newest first.
    ///
    /// @param state the state of the jobs; null for all
    /// @param after only jobs older than this job; null for all
    public synchronized List<ServiceJob> list(@Nullable JobState state, @Nullable ServiceJob after, int most) {
        var older = after == null ? byNumber : byNumber.headMap(after.number(), false);
        List<ServiceJob> found = new ArrayList<>();
        for (ServiceJob job : older.descendingMap().values()) {
            if (found.size() == most) break;
            if (state == null || job.state() == state) found.add(job);
        }
        return found;
    }

    /// Returns the position in the queue, from 1; 0 for a job outside the queue.
    public synchronized int place(ServiceJob job) {
        int place = 0;
        for (ServiceJob each : queue) {
            place++;
            if (each == job) return place;
        }
        return 0;
    }

    /// Figures for an operator.
    ///
    /// @param ends the number of ended jobs by final state, since the service started
    public record Counts(int waiting, int running, Map<JobState, Long> ends, double seconds) {}

    public synchronized Counts counts() {
        return new Counts(queue.size() + coming, running, Map.copyOf(ends), seconds);
    }
}
