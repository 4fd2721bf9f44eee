package org.tutti.launch.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.NativeVariables;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.status.FlightExcerpt;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.ReportLine;
import org.tutti.launch.JobText;
import org.tutti.launch.library.NativeLauncher;
import org.tutti.launch.library.RankExits;
import org.tutti.launch.library.RankShell;
import org.tutti.launch.library.SharedFiles;
import org.tutti.launch.machine.ProcessStat;
import org.tutti.launch.output.LineRelay;
import org.tutti.launch.place.Binding;
import org.tutti.launch.place.Bindings;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.rank.InheritedEnvironment;
import org.tutti.launch.run.Run;

/// A job with ranks started by the launcher of a native MPI library: the libmpi engine. The end of a rank is
/// detected by the report of the rank's shell, the status page, or the disappearance of the pid.
final class NativeJob extends Job {
    /// Time for the native launcher to print an error message.
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    /// Time for the native launcher to end after it has noticed a failure; the native launcher waits a second
    /// for the ranks. If Open MPI's mpirun is terminated earlier, mpirun crashes, and files remain in /dev/shm.
    private static final long ABORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// Replaces [#COLLECT_NANOS] and [#ABORT_NANOS] if ranks run on other machines: the native launcher needs
    /// more time for remote ranks, and Open MPI 4.1's launcher crashes if it is terminated earlier.
    private static final long COLLECT_ELSEWHERE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /// The time limit for the report of a rank's shell after the end of the rank. After SIGABRT, the shell first
    /// waits for 0.3 s. If the shell was killed together with the rank, it never reports.
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long REPORT_POLL_MILLIS = 20;
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long GRACE_MILLIS = 3000;

    /// As [#GRACE_MILLIS], if ranks run on other machines: the native launcher first cleans up on these
    /// machines, for which Open MPI's launcher needs up to five seconds.
    private static final long GRACE_ELSEWHERE_MILLIS = 6500;

    private static final int LONGEST_TAG = 128;
    private static final String UCX_SIGNALS = "UCX_ERROR_SIGNALS";

    private final JobFile file;

    /// The processes that ranks had started at the time of a call of [#terminate].
    private final Set<ProcessHandle> started = new HashSet<>();

    /// The processes that have received SIGTERM.
    private final Set<ProcessHandle> asked = new HashSet<>();

    /// Whether the shells of ranks have been notified that the job ends.
    private boolean isTerminating;
    private final NativeLauncher launcher;
    private final RankExits exits;
    private final RankProcesses processes;
    private final SharedFiles files;

    /// For each rank that has ended without a report of the shell so far, the time at which this launcher
    /// noticed the end; 0 for other ranks.
    private final long[] disappearedAtNanos;

    private @Nullable Process process;
    private @Nullable RankPipes pipes;
    private Map<String, String> environment = Map.of();
    private long startedNanos;
    private boolean hasNotedLate;

    /// For each rank, the offset of this machine's clock from the rank's clock.
    private final Map<Integer, Long> clocks = new ConcurrentHashMap<>();

    private long lostSinceNanos;
    private boolean lost;

    NativeJob(
            Run run,
            List<Program> programs,
            Bindings bindings,
            JobFile file,
            JobStatus status,
            NativeLauncher launcher,
            RankExits exits,
            Try attempt,
            @Nullable LauncherSignals signals) {
        super(run, programs, bindings, status, attempt, signals);
        this.file = file;
        this.launcher = launcher;
        this.exits = exits;
        processes = new RankProcesses(status);
        files = new SharedFiles(launcher.startFiles());
        disappearedAtNanos = new long[run.size()];
    }

    @Override
    void start() throws IOException {
        boolean tagged = output.wantsRanks();
        Map<String, String> variables = variables(launcher, run, bindings, attempt.number());
        variables.put(RankEnvironment.JOB, file.path());
        variables.put(RankExits.FILE, exits.path());
        RankPipes own = launcher.places(run) ? null : RankPipes.of(OsPlatform.open(), javaRanks(), run.size());
        pipes = own;
        if (own != null) variables.put(RankShell.OUTPUT, own.paths());
        if (launcher.places(run)) variables.put(RankEnvironment.JOB_HOST, Host.name());
        ProcessBuilder builder = new ProcessBuilder(command(launcher, run, programs, bindings, variables, tagged));
        environment = builder.environment();
        InheritedEnvironment.clean(environment);
        environment.putAll(variables);
        if (run.ranks().wdir() != null) builder.directory(run.ranks().wdir().toFile());
        builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        startedNanos = System.nanoTime();
        Process started = builder.start();
        process = started;
        started.onExit().thenAccept(ended -> wake());
        output.add(new Relay(started.getInputStream(), 0, tagged));
        output.add(new Relay(started.getErrorStream(), 1, tagged));
        if (own != null) own.relayTo(output);
    }

    private BitSet javaRanks() {
        BitSet ranks = new BitSet();
        for (int rank = 0; rank < run.size(); rank++) ranks.set(rank, isJava(rank));
        return ranks;
    }

    @Override
    void sealOutput() {
        if (pipes != null) pipes.seal();
    }

    /// Returns the environment variables of the ranks and of the native launcher, except variables that exist
    /// only while the job runs.
    static Map<String, String> variables(NativeLauncher launcher, Run run, Bindings bindings, int restart) {
        Map<String, String> variables = new TreeMap<>(run.ranks().env());
        variables.put(RankEnvironment.RESTART, Integer.toString(restart));
        if (run.placement().nodes() != null)
            variables.putAll(run.placement().nodes().variables(restart));
        variables.put(RankEnvironment.ENGINE, run.engine().name());
        variables.put(RankEnvironment.LIBMPI, launcher.library());
        // UCX would handle signals that the JVM depends on; it reads this variable while the library is loaded.
        if (System.getenv(UCX_SIGNALS) == null) variables.putIfAbsent(UCX_SIGNALS, "");
        if (launcher.places(run)) {
            if (isBound(run.placement().binding())) variables.put(RankShell.BOUND, "1");
        } else {
            variables.put(RankEnvironment.CORES, Integer.toString(bindings.cores()));
            if (bindings.isBound()) variables.put(RankShell.BINDING, cpuLists(bindings, run.size()));
        }
        String java = javaRanks(run.programs());
        if (java != null) {
            variables.put(RankEnvironment.JAVA_RANKS, java);
            NativeVariables.FOR_JOBS.forEach((name, value) -> {
                if (System.getenv(name) == null) variables.putIfAbsent(name, value);
            });
        }
        launcher.environment(run, variables);
        return variables;
    }

    private static boolean isBound(Binding wanted) {
        return wanted.rankfile() != null || Bindings.level(wanted, Bindings.mapping(wanted.map())) != null;
    }

    /// Returns the ranks that run Java programs, as in `0,2-3`; null for all.
    private static @Nullable String javaRanks(List<ProgramSpec> specs) {
        BitSet java = new BitSet();
        int rank = 0;
        for (ProgramSpec spec : specs) {
            if (spec.isJava()) java.set(rank, rank + spec.size());
            rank += spec.size();
        }
        return java.cardinality() == rank ? null : CpuList.of(java);
    }

    /// Returns the command that starts the ranks.
    static List<String> command(
            NativeLauncher launcher,
            Run run,
            List<Program> programs,
            Bindings bindings,
            Map<String, String> variables,
            boolean tagged) {
        List<String> command = launcher.options(run, tagged);
        List<String> names = List.copyOf(variables.keySet());
        command.addAll(RankShell.around(launcher, run, programs, names, bindings.fewestProcessors()));
        return command;
    }

    private static String cpuLists(Bindings bindings, int ranks) {
        StringBuilder lists = new StringBuilder();
        for (int rank = 0; rank < ranks; rank++) {
            BitSet cpus = bindings.cpus(rank);
            if (cpus != null) lists.append(CpuList.of(cpus)).append(' ');
        }
        return lists.toString();
    }

    /// Reads the output of all ranks from the native launcher.
    private final class Relay extends LineRelay {
        private final int stream;
        private final boolean tagged;

        /// Whether the lines may contain reports of ranks to the launcher.
        private final boolean reports;

        /// The rank of the unfinished line; -1 at the beginning of a line, and if the launcher does not add
        /// tags.
        private int writer = -1;

        /// The tag at the beginning of the unfinished line.
        private byte[] tagBytes = {};

        Relay(InputStream in, int stream, boolean tagged) {
            super(in, "tutti-relay-native");
            this.stream = stream;
            this.tagged = tagged;
            reports = stream == 1 && launcher.places(run);
        }

        @Override
        protected boolean lines(byte[] buffer, int from, int to, boolean urgent) {
            if (!tagged && !reports) {
                output.write(stream, buffer, from, to);
                return true;
            }
            for (int at = from; at < to; ) {
                int end = lineEnd(buffer, at, to);
                passOn(buffer, at, end);
                at = end;
            }
            return true;
        }

        @Override
        protected boolean mayCut(byte[] buffer, int from, int to) {
            int at = from;
            while (reports && at < to && buffer[at] != ReportLine.MARK) at++;
            return !reports || at == to;
        }

        private void passOn(byte[] buffer, int from, int to) {
            int head = Math.min(to, from + LONGEST_TAG) - from;
            NativeLauncher.Tag tag =
                    tagged ? launcher.tag(new String(buffer, from, head, StandardCharsets.ISO_8859_1), stream) : null;
            int text = tag == null ? from : Math.min(to, from + tag.length());
            int end = reports ? takeReport(buffer, text, to) : to;
            if (end == text && end < to) return;
            if (end < to) buffer[end++] = '\n'; // the program's line is unfinished
            int rank = tag == null ? writer : tag.rank();
            if (tag != null) tagBytes = Arrays.copyOfRange(buffer, from, text);
            if (rank >= 0) end = launcher.withoutTags(buffer, text, end, tagBytes);
            if (rank < 0 || rank >= run.size()) output.write(stream, buffer, text, end);
            else output.write(rank, stream, output.prefix(rank, stream), buffer, text, end);
            writer = end > text && buffer[end - 1] == '\n' ? -1 : rank;
        }
    }

    /// Handles the report of a rank to the launcher, if the line contains one. Returns the end of the program's
    /// part of the line.
    private int takeReport(byte[] buffer, int from, int to) {
        int mark = from;
        while (mark < to && buffer[mark] != ReportLine.MARK) mark++;
        ReportLine line = mark == to ? null : ReportLine.read(buffer, mark, to);
        if (line == null || line.rank() < 0 || line.rank() >= run.size()) return to;
        switch (line.verb()) {
            case "exit" -> ended(line.rank(), (int) line.number());
            case "terminates" -> outcome.terminates(line.rank());
            case "state" -> {
                outcome.runsOn(line.rank(), line.host(), line.number());
                status.state(line.rank(), JobStatus.State.valueOf(line.text()));
            }
            case "waits" -> waits(line);
            case "does" -> {
                status.waits(line.rank()).pulse(line.number());
                examination.updateActivity(line.rank(), line.host(), line.number(), line.text());
            }
            case "calls" -> calls(line);
            default -> {
                outcome.runsOn(line.rank(), line.host(), 0);
                status.fail(line.rank(), (int) line.number(), line.text());
            }
        }
        wake();
        return mark;
    }

    private void calls(ReportLine line) {
        try {
            byte[] excerpt = Base64.getDecoder().decode(line.text());
            examination.updateCalls(line.rank(), line.host(), FlightExcerpt.read(excerpt, clockOffset(line)));
        } catch (IOException | IllegalArgumentException e) {
            // an incomplete report, or output of a program that resembles a report
        }
    }

    /// Returns the offset of this machine's clock from the rank's clock. It is determined once, so that the start
    /// time of a wait does not vary with the transfer times of the lines.
    private long clockOffset(ReportLine line) {
        return clocks.computeIfAbsent(line.rank(), r -> System.nanoTime() - line.number());
    }

    private void waits(ReportLine line) {
        try {
            status.waits(line.rank()).copy(Base64.getDecoder().decode(line.text()), clockOffset(line));
        } catch (IllegalArgumentException | BufferUnderflowException | NegativeArraySizeException e) {
            // an incomplete report, or output of a program that resembles a report
        }
    }

    /// Handles the end of a rank. A program in a language other than Java does not write to the status page: if
    /// its exit code is 0, the state becomes [JobStatus.State#LEFT] here.
    private void ended(int rank, int code) {
        if (code == 0 && !isJava(rank)) status.state(rank, JobStatus.State.LEFT);
        outcome.ended(rank, code);
    }

    @Override
    void poll() {
        processes.update();
        for (RankExits.Exit exit : exits.news()) ended(exit.rank(), exit.code());
        files.scan(processes.all());
        long now = System.nanoTime();
        for (int rank = 0; rank < run.size(); rank++) {
            if (!isUnreported(rank)) continue;
            if (disappearedAtNanos[rank] == 0) disappearedAtNanos[rank] = now;
            else if (now - disappearedAtNanos[rank] > REPORT_NANOS) outcome.ended(rank, RankOutcomes.UNKNOWN);
        }
        if (launcher.places(run)) pollRemote();
    }

    /// Whether the rank has ended, but the shell has not reported the exit code.
    private boolean isUnreported(int rank) {
        return !outcome.hasFinished(rank) && processes.hasDisappeared(rank);
    }

    private void pollRemote() {
        long now = System.nanoTime();
        if (!hasNotedLate && now - startedNanos > LATE_NANOS) {
            BitSet late = new BitSet();
            for (int rank = 0; rank < run.size(); rank++) {
                if (status.state(rank) == JobStatus.State.ABSENT && isJava(rank) && !outcome.hasFinished(rank))
                    late.set(rank);
            }
            if (!late.isEmpty()) {
                say(JobText.ranks(late) + (late.cardinality() == 1 ? " has" : " have") + " not started after "
                        + JobText.seconds(now - startedNanos) + "; " + launcher.title()
                        + " still tries (Ctrl-C ends the job)");
            }
            hasNotedLate = true;
        }
        if (process == null
                || !process.isAlive()
                || run.placement().hosts() == null
                || !launcher.waitsForLostConnections()) return;
        int lostConnections =
                run.placement().hosts().used(run.size()) - ProcessStat.runningChildren(process.toHandle());
        if (lostSinceNanos == 0 || lostConnections <= outcome.finishedHosts()) lostSinceNanos = now;
        if (now - lostSinceNanos > LOST_NANOS) lost = true;
    }

    @Override
    boolean isPlacedByLauncher() {
        return launcher.places(run);
    }

    @Override
    boolean over() {
        return lost || process == null || !process.isAlive();
    }

    @Override
    long collectNanos() {
        if (run.placement().elsewhere()) return COLLECT_ELSEWHERE_NANOS;
        RankOutcomes.Failure first = outcome.first();
        boolean isUnseen = first != null && first.rank() >= 0 && outcome.exitedWithZero(first.rank());
        return isUnseen ? COLLECT_NANOS : ABORT_NANOS;
    }

    /// Sends SIGTERM directly to the ranks if all of them run on this machine under mpirun or mpiexec, which
    /// would kill the ranks after one second. Otherwise sends SIGTERM to the native launcher: srun forwards the
    /// signal; mpirun and mpiexec end the ranks of other machines after about one second, even if `--grace` is
    /// longer.
    @Override
    void terminate() throws IOException {
        if (launcher.places(run)) {
            if (process != null && asked.add(process.toHandle()))
                process.toHandle().destroy();
            return;
        }
        if (!isTerminating) exits.terminate();
        isTerminating = true;
        processes.update();
        started.addAll(ProcessTermination.descendants(processes.all()));
        for (ProcessHandle rank : processes.all()) if (asked.add(rank)) rank.destroy();
    }

    @Override
    @Nullable
    ProcessHandle process(int rank) {
        return outcome.hasFinished(rank) ? null : processes.of(rank);
    }

    @Override
    BitSet terminating() {
        BitSet running = new BitSet();
        if (process == null || !process.isAlive()) return running;
        // programs in other languages end with the launcher
        for (int rank = 0; rank < run.size(); rank++) if (isJava(rank) && !outcome.hasFinished(rank)) running.set(rank);
        return running;
    }

    @Override
    void stop() throws InterruptedException {
        processes.update();
        files.scan(processes.all());
        if (process != null)
            ProcessTermination.all(
                    List.of(process.toHandle()), run.placement().elsewhere() ? GRACE_ELSEWHERE_MILLIS : GRACE_MILLIS);
        processes.update();
        ProcessTermination.all(processes.all(), 0);
        for (ProcessHandle child : started) child.destroyForcibly();
    }

    @Override
    void sweep() {
        files.sweep();
        if (process != null && !process.isAlive()) launcher.sweep(process.pid(), environment);
    }

    /// Waits for the reports of the shells of ranks that have ended, until a failure is known. A native launcher
    /// may end before these shells.
    private void awaitReports() throws InterruptedException {
        for (int rank = 0; rank < run.size(); rank++) {
            while (outcome.first() == null && isUnreported(rank)) {
                Thread.sleep(REPORT_POLL_MILLIS);
                poll();
            }
        }
    }

    @Override
    RankOutcomes.@Nullable Failure verdict() throws InterruptedException {
        poll();
        awaitReports();
        outcome.terminatedWithoutCode();
        RankOutcomes.Failure known = outcome.first();
        if (known != null) return known;
        if (lost) {
            String cause = launcher.title() + " has lost a connection to a host, and would wait forever";
            return new RankOutcomes.Failure(-1, 0, "", 1, System.nanoTime(), cause);
        }
        int code = process == null ? 0 : process.exitValue();
        if (code == 0) return null;
        boolean started = false;
        for (int rank = 0; rank < run.size(); rank++) {
            started |= status.state(rank) != JobStatus.State.ABSENT || outcome.hasFinished(rank);
        }
        String cause = launcher.title() + (started ? " has ended the job" : " started no rank") + ", see above";
        return new RankOutcomes.Failure(-1, 0, "", code, System.nanoTime(), cause);
    }
}
