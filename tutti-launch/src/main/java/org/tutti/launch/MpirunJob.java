package org.tutti.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobBoard.State;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.Place;

/// Ranks that a native MPI's launcher starts: the libmpi engine. It waits for them, so of their ends we know what the
/// board says, that a pid is gone, and what it says itself.
final class MpirunJob extends Job {
    /// It shall have the time to say its part and to end by itself.
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long GRACE_MILLIS = 3000;

    private final JobFile file;
    private final Program program;
    private final Mpirun mpirun;
    private final MpirunWords words = new MpirunWords();
    private @Nullable Process process;

    MpirunJob(Run run, Program program, JobFile file, JobBoard board, Mpirun mpirun) {
        super(run, board);
        this.file = file;
        this.program = program;
        this.mpirun = mpirun;
    }

    @Override
    void start() throws IOException {
        boolean tagged = output.wantsRanks();
        ProcessBuilder builder = new ProcessBuilder(mpirun.start(run.size(), tagged, RankCommand.of(run, program)));
        Map<String, String> environment = builder.environment();
        Environment.clean(environment);
        environment.putAll(run.env());
        environment.put(Place.ENGINE, run.engine());
        environment.put(Place.LIBMPI, mpirun.library());
        environment.put(Place.JOB, file.path());
        environment.put(Place.CORES, Integer.toString(Machine.cores()));
        // UCX would take the signals that the JVM lives on; it reads this while the library is loaded.
        environment.putIfAbsent("UCX_ERROR_SIGNALS", "");
        if (run.wdir() != null) builder.directory(run.wdir().toFile());
        builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        Process started = builder.start();
        process = started;
        started.onExit().thenAccept(ended -> wake());
        relay(started.getInputStream(), 0, tagged);
        relay(started.getErrorStream(), 1, tagged);
    }

    private void relay(InputStream in, int stream, boolean tagged) {
        output.add(new LineRelay(in, "tutti-relay-mpirun") {
            @Override
            void lines(byte[] buffer, int from, int to) {
                for (int at = from; at < to; ) {
                    int end = lineEnd(buffer, at, to);
                    words.hear(buffer, at, end);
                    if (tagged) passOn(stream, buffer, at, end);
                    at = end;
                }
                if (!tagged) output.write(stream, buffer, from, to);
            }
        });
    }

    /// Takes its tag from the line, `[job,RANK]<stdout>:` or `[RANK] `, and puts ours there.
    private void passOn(int stream, byte[] buffer, int from, int to) {
        int rank = -1;
        int text = from;
        int close = from;
        while (close < to && buffer[close] != ']') close++;
        if (close < to && buffer[from] == '[') {
            String tag = new String(buffer, from + 1, close - from - 1, StandardCharsets.US_ASCII);
            switch (mpirun.family()) {
                case OPEN_MPI -> {
                    String mark = "]<std" + (stream == 0 ? "out" : "err") + ">:";
                    boolean marked = close + mark.length() <= to
                            && new String(buffer, close, mark.length(), StandardCharsets.US_ASCII).equals(mark);
                    if (marked) rank = MpirunWords.number(tag, tag.lastIndexOf(',') + 1);
                    text = close + mark.length();
                }
                case MPICH -> {
                    rank = MpirunWords.number(tag, 0);
                    text = close + 2;
                }
            }
        }
        if (rank < 0 || rank >= run.size()) output.write(stream, buffer, from, to);
        else output.write(rank, stream, output.prefix(rank, stream), buffer, Math.min(text, to), to);
    }

    @Override
    void look() {
        for (int rank = 0; rank < run.size(); rank++) {
            long pid = board.pid(rank);
            if (pid == 0 || outcome.hasEnded(rank) || ProcessHandle.of(pid).isPresent()) continue;
            outcome.ended(rank, Outcome.UNKNOWN);
        }
    }

    @Override
    boolean over() {
        return process == null || !process.isAlive();
    }

    @Override
    long collectNanos() {
        return COLLECT_NANOS;
    }

    @Override
    void stop() throws InterruptedException {
        if (process != null) Stop.all(List.of(process.toHandle()), GRACE_MILLIS);
        List<ProcessHandle> ranks = new ArrayList<>();
        for (int rank = 0; rank < run.size(); rank++) {
            if (board.pid(rank) != 0) ProcessHandle.of(board.pid(rank)).ifPresent(ranks::add);
        }
        Stop.all(ranks, 0);
    }

    /// What a rank said on the board comes before what its launcher says about it: that names some rank that it has
    /// ended itself, at times.
    @Override
    Outcome.@Nullable Failure verdict() {
        Process ended = process;
        if (ended == null) return null;
        int code = words.code() > 0 ? words.code() : ended.exitValue();
        for (int rank = 0; rank < run.size(); rank++) {
            if (board.state(rank) == State.FAILED) return outcome.first();
        }
        look();
        Outcome.Failure known = outcome.first();
        if (code == 0) return known;
        int rank = words.rank() >= 0 && words.rank() < run.size() ? words.rank() : known == null ? -1 : known.rank();
        if (rank < 0) return new Outcome.Failure(-1, 0, code, System.nanoTime(), Words.exit(code));
        return new Outcome.Failure(rank, board.pid(rank), code, outcome.endedAtNanos(rank), Words.exit(code));
    }
}
