package org.tutti.launch.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.JobText;
import org.tutti.launch.machine.Terminal;
import org.tutti.launch.run.OutputOptions;

/// Distributes the output of all ranks: to stdout and stderr of this process, with `[rank]` before each line if
/// useful, and to files if requested.
public final class RankOutput {
    private static final byte[] NOTHING = {};
    private static final int COLORS = 6;
    private static final String RED = "\033[31m", RESET = "\033[0m";

    private static final long MEMORY_BYTES = 64L << 20;
    private static final int POLL_MILLIS = 10;

    private final OutputOptions options;
    private final int firstRank;
    private final int size;
    private final boolean printing;

    /// The sinks of stdout and stderr; a single sink if both have the same destination.
    private final Sink[] streams;

    /// Whether the stream is a terminal of this process and there are several ranks, so that each line must begin
    /// with the rank.
    private final boolean[] terminal = {false, false};

    private final boolean[] colored;
    private final @Nullable Sink @Nullable [][] files;
    private final List<LineRelay> relays = new ArrayList<>();
    private final RelayMemory memory;
    private final Runnable broken;
    private @Nullable String failure;

    /// @param firstRank the number in the world of the first of the `size` ranks, for messages
    /// @param more whether to append to the output of an earlier try
    /// @param broken called when stdout can no longer be written, because no process reads it or because of a
    ///     [#failure]
    public RankOutput(OutputOptions options, int firstRank, int size, boolean more, Runnable broken) {
        this(options, firstRank, size, more, broken, new RelayMemory(LineRelay.LONGEST_BYTES, MEMORY_BYTES));
    }

    RankOutput(OutputOptions options, int firstRank, int size, boolean more, Runnable broken, RelayMemory memory) {
        this.memory = memory;
        this.options = options;
        this.firstRank = firstRank;
        this.size = size;
        this.broken = broken;
        this.printing = !options.quiet() || options.directory() == null;
        OutputStream out = options.out(), err = options.err();
        boolean exact = size == 1 && !options.tagged();
        Sink stdout = out == null ? Sink.stdout(exact) : Sink.of(out, "stdout", exact);
        boolean areOne = err == null ? out == null && Terminal.isSame(1, 2) : err == out;
        Sink stderr = err == null ? Sink.stderr(exact) : Sink.of(err, "stderr", exact);
        this.streams = new Sink[] {stdout, areOne ? stdout : stderr};
        this.colored = new boolean[] {isColored(options, 1, out == null), isColored(options, 2, err == null)};
        terminal[0] = out == null && size > 1 && Terminal.is(1);
        terminal[1] = err == null && size > 1 && Terminal.is(2);
        this.files = options.directory() == null ? null : files(options.directory(), firstRank, size, more);
    }

    private static boolean isColored(OutputOptions options, int descriptor, boolean isOfProcess) {
        return switch (options.color()) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> isOfProcess && Terminal.showsColors(descriptor);
        };
    }

    private static Sink[][] files(Path directory, int first, int size, boolean more) {
        try {
            Files.createDirectories(directory);
            Sink[][] files = new Sink[size][];
            for (int r = 0; r < size; r++) {
                String name = "rank-" + (first + r);
                files[r] = new Sink[] {
                    Sink.file(directory.resolve(name + ".out"), more), Sink.file(directory.resolve(name + ".err"), more)
                };
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException("--output-dir " + directory + " cannot be written: " + JobText.reason(e), e);
        }
    }

    /// Returns whether the writer of each line must be known.
    public boolean wantsRanks() {
        return options.tagged() || files != null || terminal[0] || terminal[1];
    }

    /// Relays the output of rank `rank` on stdout (0) or stderr (1).
    public void relay(InputStream in, int rank, int stream) {
        add(new LineRelay(in, "tutti-relay-" + rank, memory) {
            private final byte[] prefix = prefix(rank, stream);

            @Override
            protected boolean lines(byte[] buffer, int from, int to, boolean urgent) {
                return write(rank, stream, prefix, buffer, from, to, urgent);
            }

            @Override
            protected void ended() {
                streams[stream].leave(writer(rank, stream));
            }
        });
    }

    public void add(LineRelay relay) {
        relays.add(relay);
        relay.start();
    }

    private static int writer(int rank, int stream) {
        return 2 * rank + stream;
    }

    /// Writes lines of an unknown rank.
    public void write(int stream, byte[] lines, int from, int to) {
        print(writer(size, stream), stream, NOTHING, lines, from, to, true);
    }

    /// Writes lines of rank `rank`.
    public void write(int rank, int stream, byte[] prefix, byte[] lines, int from, int to) {
        write(rank, stream, prefix, lines, from, to, true);
    }

    /// Returns false if the lines are refused because a different writer has an unfinished line; urgent lines are
    /// never refused.
    private boolean write(int rank, int stream, byte[] prefix, byte[] lines, int from, int to, boolean urgent) {
        if (!print(writer(rank, stream), stream, prefix, lines, from, to, urgent)) return false;
        if (files == null) return true;
        Sink file = files[rank][stream];
        if (file.write(rank, NOTHING, lines, from, to, true) == Sink.Result.LOST) {
            String text = note(file);
            if (text != null) say(text + "; the rest of its output is missing");
        }
        return true;
    }

    private boolean print(int writer, int stream, byte[] prefix, byte[] lines, int from, int to, boolean urgent) {
        if (!printing) return true;
        Sink.Result result = streams[stream].write(writer, prefix, lines, from, to, urgent);
        if (result == Sink.Result.LOST) {
            note(streams[stream]);
            if (stream == 0) broken.run();
        }
        return result != Sink.Result.REFUSED;
    }

    /// Returns the reason why the sink cannot be written; null in later calls.
    private synchronized @Nullable String note(Sink sink) {
        String text = sink.takeFailure();
        if (failure == null) failure = text;
        return text;
    }

    /// Returns why output of ranks was lost; null if the output is complete, or if the only reason is that no
    /// process reads stdout or stderr any more. Call after [#drain].
    public synchronized @Nullable String failure() {
        return failure;
    }

    public byte[] prefix(int rank, int stream) {
        if (!options.tagged() && !terminal[stream]) return NOTHING;
        String tag = "[" + (firstRank + rank) + "]";
        if (colored[stream]) tag = "\033[3" + (1 + rank % COLORS) + "m" + tag + RESET;
        return (tag + " ").getBytes(StandardCharsets.US_ASCII);
    }

    /// Writes the remaining output. The processes have ended.
    public void drain(long quietNanos) throws InterruptedException {
        for (LineRelay relay : relays) relay.drain(quietNanos);
        for (LineRelay relay : relays) note(relay);
        for (Sink sink : streams) sink.endLine();
        if (files == null) return;
        for (Sink[] pair : files) {
            for (Sink sink : pair) {
                sink.close();
                note(sink);
            }
        }
    }

    private synchronized void note(LineRelay relay) {
        if (failure == null && relay.failure() != null) failure = "output was lost: " + relay.failure();
    }

    /// Prints a message of the launcher. Waits up to [Sink#OWNED_NANOS] for the end of an unfinished line.
    public void say(String text) {
        print("tutti: " + text);
    }

    /// As [#say], for the failure of the job; in red if stderr is colored.
    public void printFailure(String text) {
        print(colored[1] ? RED + "tutti: " + text + RESET : "tutti: " + text);
    }

    private void print(String text) {
        if (options.quiet()) return;
        byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
        long began = System.nanoTime();
        boolean isUrgent = false;
        while (streams[1].write(Sink.LAUNCHER, NOTHING, line, 0, line.length, isUrgent) == Sink.Result.REFUSED) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                isUrgent = true;
            }
            isUrgent |= System.nanoTime() - began >= Sink.OWNED_NANOS;
        }
    }
}
