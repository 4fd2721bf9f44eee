package org.tutti.launch.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.NamelessFiles;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.job.status.JobStatus.Wish;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;

/// The jobs of this user on this machine, for other processes: `tutti ps`, `stacks` and `dump`.
///
/// A job is found through the launcher: the status page is one of the launcher's open files. A job therefore
/// needs no name, port or registration file, and cannot be found after the launcher was killed. Requests and
/// answers are written to the status page.
public final class RunningJobs {
    private static final Path PROC = Path.of("/proc/self");
    private static final String LABEL = "tutti";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long POLL_MILLIS = 20;

    /// @param launcher the launcher's pid, which identifies the job for the user
    private record RunningJob(long launcher, JobStatus status) {
        @Override
        public String toString() {
            return launcher + " (" + status.program() + ")";
        }
    }

    private RunningJobs() {}

    /// Returns a line of titles and a line for each job, or a sentence that states that no job is running.
    ///
    /// @throws UsageException if the system does not give access to other processes
    public static List<String> list() throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("    JOB      SINCE  WHAT");
        for (RunningJob job : all()) {
            String since = since(job.launcher);
            lines.add("%7d %10s  %s; %s".formatted(job.launcher, since, job.status.program(), state(job.status)));
        }
        if (lines.size() == 1) return List.of("this user has no running job on this machine");
        return lines;
    }

    private static String since(long pid) {
        long seconds = ProcessHandle.of(pid)
                .flatMap(p -> p.info().startInstant())
                .map(start -> (System.currentTimeMillis() - start.toEpochMilli()) / 1000)
                .orElse(0L);
        return "%d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    /// Returns for example `all joined, longest wait 12.3 s` or `3 joined, 1 left`.
    private static String state(JobStatus status) {
        Map<State, Integer> counts = new EnumMap<>(State.class);
        for (int r = 0; r < status.size(); r++) counts.merge(status.state(r), 1, Integer::sum);
        List<String> parts = new ArrayList<>();
        counts.forEach((state, count) -> parts.add((count == status.size() ? "all" : count) + " " + words(state)));
        long longest = WaitSnapshot.at(status).longestNanos();
        if (longest > 0) parts.add("longest wait " + JobText.seconds(longest));
        return String.join(", ", parts);
    }

    private static String words(State state) {
        return switch (state) {
            case ABSENT -> "not started";
            case STARTED -> "before Mpi.init";
            case JOINING -> "in Mpi.init";
            case JOINED -> "joined";
            case LEFT -> "left";
            case FAILED -> "failed";
        };
    }

    /// Returns the stacks of all ranks of a job.
    ///
    /// @param job the pid of the job's launcher, as typed by the user; null for the only running job
    /// @throws UsageException if the job does not exist or has ended, or if `job` is null and not exactly one job
    ///     runs
    public static String stacks(@Nullable String job) throws IOException, InterruptedException {
        return Files.readString(Path.of(ask(named(job), Wish.STACKS)));
    }

    /// Requests a report from the job and returns the path.
    ///
    /// @param job as in [#stacks]
    /// @throws UsageException as in [#stacks]
    public static String dump(@Nullable String job) throws IOException, InterruptedException {
        return ask(named(job), Wish.REPORT);
    }

    private static RunningJob named(@Nullable String name) throws IOException {
        List<RunningJob> jobs = all();
        List<String> words = new ArrayList<>();
        for (RunningJob job : jobs) {
            if (name != null && name.equals(Long.toString(job.launcher))) return job;
            words.add(job.toString());
        }
        if (name == null && jobs.size() == 1) return jobs.getFirst();
        String running = jobs.isEmpty()
                ? "this user has no running job on this machine"
                : (jobs.size() == 1 ? "the running job is " : "the running jobs are ") + String.join(", ", words);
        throw new UsageException(name == null ? "which job? " + running : "there is no job " + name + "; " + running);
    }

    private static String ask(RunningJob job, Wish what) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long wish = 0;
        while (System.nanoTime() - began < PATIENCE_NANOS) {
            if (!ProcessHandle.of(job.launcher).map(ProcessHandle::isAlive).orElse(false)) {
                throw new UsageException("job " + job.launcher + " has ended");
            }
            if (wish == 0) wish = job.status.wish(what);
            if (wish != 0 && job.status.granted() == wish) {
                String text = job.status.grantText();
                if (text.startsWith("!"))
                    throw new IOException("job " + job + " wrote no report: " + text.substring(1));
                return text;
            }
            Thread.sleep(POLL_MILLIS);
        }
        throw new IOException("the launcher of job " + job + " does not answer; is it stopped by a signal?");
    }

    private static List<RunningJob> all() throws IOException {
        if (!Files.isDirectory(PROC)) {
            throw new UsageException("running jobs are found through /proc, which exists only on Linux");
        }
        List<RunningJob> jobs = new ArrayList<>();
        for (NamelessFiles.Found found : NamelessFiles.find(LABEL)) {
            try {
                JobStatus status = JobStatus.find(JobFile.attach(found.path(), LABEL)); // remains attached
                if (status != null
                        && status.launcherPid() == found.pid()
                        && !status.program().isEmpty()) {
                    jobs.add(new RunningJob(found.pid(), status));
                }
            } catch (IOException e) {
                // the process has ended
            }
        }
        jobs.sort((a, b) -> Long.compare(a.launcher, b.launcher));
        return jobs;
    }
}
