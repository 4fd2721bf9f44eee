package org.tutti.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.bootstrap.JobBoard;
import org.tutti.mpi.bootstrap.JobFile;
import org.tutti.mpi.bootstrap.Place;

/// Ranks that a native MPI's launcher starts: the libmpi engine. Of their ends we know what their shells
/// tell, what the board says, and that a pid is gone.
final class MpirunJob extends Job {
    /// It shall have the time to say its part and to end by itself.
    private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long GRACE_MILLIS = 3000;

    private final JobFile file;
    private final Mpirun mpirun;
    private final RankExits exits;
    private final BitSet gone = new BitSet();
    private @Nullable Process process;

    MpirunJob(
            Run run,
            List<Program> programs,
            Bindings bindings,
            JobFile file,
            JobBoard board,
            Mpirun mpirun,
            RankExits exits) {
        super(run, programs, bindings, board);
        this.file = file;
        this.mpirun = mpirun;
        this.exits = exits;
    }

    @Override
    void start() throws IOException {
        boolean tagged = output.wantsRanks();
        ProcessBuilder builder = new ProcessBuilder(command(tagged));
        Map<String, String> environment = builder.environment();
        Environment.clean(environment);
        environment.putAll(run.env());
        environment.put(Place.ENGINE, run.engine());
        environment.put(Place.LIBMPI, mpirun.library());
        environment.put(Place.JOB, file.path());
        environment.put(RankExits.FILE, exits.path());
        environment.put(Place.CORES, Integer.toString(bindings.cores()));
        if (bindings.isBound()) environment.put(RankExits.BINDING, cpuLists());
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

    private List<String> command(boolean tagged) {
        List<String> command = mpirun.command(tagged);
        int processors = bindings.fewestProcessors();
        for (Program program : programs) {
            if (program != programs.getFirst()) command.add(":");
            command.add("-n");
            command.add(Integer.toString(program.part().size()));
            command.addAll(RankExits.watched(RankCommand.of(program, run.size(), processors)));
        }
        return command;
    }

    private String cpuLists() {
        StringBuilder lists = new StringBuilder();
        for (int rank = 0; rank < run.size(); rank++) {
            BitSet cpus = bindings.cpus(rank);
            if (cpus != null) lists.append(CpuList.of(cpus)).append(' ');
        }
        return lists.toString();
    }

    private void relay(InputStream in, int stream, boolean tagged) {
        output.add(new LineRelay(in, "tutti-relay-mpirun") {
            @Override
            void lines(byte[] buffer, int from, int to) {
                if (!tagged) {
                    output.write(stream, buffer, from, to);
                    return;
                }
                for (int at = from; at < to; ) {
                    int end = lineEnd(buffer, at, to);
                    passOn(stream, buffer, at, end);
                    at = end;
                }
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
                    if (marked) rank = number(tag, tag.lastIndexOf(',') + 1);
                    text = close + mark.length();
                }
                case MPICH -> {
                    rank = number(tag, 0);
                    text = close + 2;
                }
            }
        }
        if (rank < 0 || rank >= run.size()) output.write(stream, buffer, from, to);
        else output.write(rank, stream, output.prefix(rank, stream), buffer, Math.min(text, to), to);
    }

    /// The number at `at`; -1 if there is none.
    private static int number(String text, int at) {
        int end = at;
        while (end < text.length() && Character.isDigit(text.charAt(end))) end++;
        return end == at || end > at + 9 ? -1 : Integer.parseInt(text.substring(at, end));
    }

    @Override
    void look() {
        for (RankExits.Exit exit : exits.news()) outcome.ended(exit.rank(), exit.code());
        for (int rank = 0; rank < run.size(); rank++) {
            long pid = board.pid(rank);
            if (pid == 0 || outcome.hasEnded(rank) || ProcessHandle.of(pid).isPresent()) continue;
            // its shell is about to tell, or was ended as well
            if (gone.get(rank)) outcome.ended(rank, Outcome.UNKNOWN);
            gone.set(rank);
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

    @Override
    Outcome.@Nullable Failure verdict() {
        look();
        Outcome.Failure known = outcome.first();
        int code = process == null ? 0 : process.exitValue();
        if (known != null || code == 0) return known;
        return new Outcome.Failure(-1, 0, code, System.nanoTime(), Words.exit(code));
    }
}
