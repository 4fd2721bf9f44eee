package org.tutti.e2e.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A test that runs [Command]s. After each test, no process of the commands is alive, and /tmp and /dev/shm are
/// unchanged.
public abstract class JobTest {
    /// Time limit for processes to end, in seconds. A rank may check only once per second whether the launcher
    /// is alive, and the machine may be busy.
    private static final int EXIT_SECONDS = 30;

    private static final String STALL = "tutti: stall: ";
    private static final double SLOW_JOB_SECONDS = 12;

    private Set<String> before = Set.of();

    @BeforeEach
    final void recordFiles() {
        before = Sandbox.common().content();
    }

    @AfterEach
    final void checkResidue() throws Exception {
        assertNothingIsLeft();
    }

    /// Asserts that no process and no file remains. A test that runs several jobs calls this method between
    /// jobs.
    protected final void assertNothingIsLeft() throws Exception {
        Set<Long> alive = Processes.awaitNone(EXIT_SECONDS);
        String descriptions = alive.stream().map(Processes::describe).toList().toString();
        for (long pid : alive) Processes.signal("KILL", pid);
        assertThat(alive).as("remaining processes: %s", descriptions).isEmpty();
        Set<String> files = new TreeSet<>(Sandbox.common().content());
        files.removeAll(before);
        before = Sandbox.common().content(); // files of a test must not fail the next test
        assertThat(files).as("remaining files").isEmpty();
    }

    /// Excludes files from the check if the name contains this text.
    protected final void ignoreFiles(String name) {
        before = new TreeSet<>(before);
        Sandbox.common().content().stream().filter(file -> file.contains(name)).forEach(before::add);
    }

    /// Asserts that the stall report was printed once. In a long job on a busy machine, ranks may be without a
    /// processor for seconds. When the ranks continue, this counts as progress, and the next stall is reported
    /// again. For such a job, asserts only that the report was printed at least once.
    protected static void assertStallIsReportedOnce(ProcessOutcome outcome, double afterSeconds) {
        if (afterSeconds > SLOW_JOB_SECONDS) assertThat(outcome.err()).contains(STALL);
        else assertThat(outcome.err()).as("%s", outcome).containsOnlyOnce(STALL);
    }

    /// Repeats the query until the answer is the expected one or a hang is assumed, because a busy machine may
    /// be slow. Returns the last answer.
    protected static <T> T until(Predicate<T> expected, Callable<T> question) throws Exception {
        HangLimit limit = new HangLimit(60);
        T answer = question.call();
        while (!expected.test(answer) && !limit.isOver()) {
            Thread.sleep(5); // continuous polling would use a core that the job needs
            answer = question.call();
        }
        return answer;
    }

    /// Runs several jobs, at most `most` at a time. Several can run at a time because jobs spend most of the
    /// time waiting.
    protected static <K> Map<K, ProcessOutcome> runAll(int most, Map<K, Callable<ProcessOutcome>> jobs)
            throws Exception {
        Map<K, Future<ProcessOutcome>> running = new LinkedHashMap<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(most)) {
            jobs.forEach((name, job) -> running.put(name, pool.submit(job)));
        }
        Map<K, ProcessOutcome> outcome = new LinkedHashMap<>();
        for (Map.Entry<K, Future<ProcessOutcome>> job : running.entrySet()) {
            outcome.put(job.getKey(), job.getValue().get());
        }
        return outcome;
    }
}
