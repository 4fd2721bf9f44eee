package org.tutti.e2e.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A process that runs a [Command]. The output is read continuously.
public final class Child {
    /// Time limit in seconds: more than ten times the duration of any command here.
    private static final long LIMIT_SECONDS = 120;

    private static final Pattern READY = Pattern.compile("^ready (\\d+) (\\d+)$", Pattern.MULTILINE);

    private final Process process;
    private final List<String> arguments;
    private final Reader out;
    private final Reader err;

    Child(Process process, List<String> arguments) {
        this.process = process;
        this.arguments = arguments;
        out = new Reader(process.getInputStream());
        err = new Reader(process.getErrorStream());
    }

    public long pid() {
        return process.pid();
    }

    public OutputStream stdin() {
        return process.getOutputStream();
    }

    public String outSoFar() {
        return out.text();
    }

    public String errSoFar() {
        return err.text();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Waits until the output contains `ready RANK PID` for each rank, and returns the pids by rank.
    public Map<Integer, Long> awaitReady(int ranks) throws InterruptedException {
        HangLimit limit = new HangLimit(LIMIT_SECONDS);
        while (true) {
            Map<Integer, Long> pids = new TreeMap<>();
            Matcher line = READY.matcher(out.text());
            while (line.find()) pids.put(Integer.valueOf(line.group(1)), Long.valueOf(line.group(2)));
            if (pids.size() == ranks) return pids;
            if (!process.isAlive()) throw failure("ended before it was ready");
            if (limit.isOver()) throw failure("is not ready after " + limit);
            Thread.sleep(5);
        }
    }

    public void awaitOut(String text) throws InterruptedException {
        await(out, text);
    }

    public void awaitErr(String text) throws InterruptedException {
        await(err, text);
    }

    private void await(Reader stream, String text) throws InterruptedException {
        HangLimit limit = new HangLimit(LIMIT_SECONDS);
        while (!stream.text().contains(text)) {
            if (!process.isAlive() || limit.isOver()) throw failure("does not print " + text);
            Thread.sleep(5);
        }
    }

    /// Waits until the process ends.
    public ProcessOutcome await() throws InterruptedException {
        return await(LIMIT_SECONDS);
    }

    /// Waits until the process ends. The limit is for commands that can take longer than the default.
    public ProcessOutcome await(long limitSeconds) throws InterruptedException {
        HangLimit limit = new HangLimit(limitSeconds);
        if (!limit.awaitEnd(process)) throw failure("still runs after " + limit);
        out.join();
        err.join();
        return new ProcessOutcome(arguments, process.exitValue(), out.text(), err.text());
    }

    /// Waits until the process ends, without reading the remaining output: after a kill of the launcher, ranks
    /// can hold stdout open for a while.
    public int awaitCode() throws InterruptedException {
        HangLimit limit = new HangLimit(LIMIT_SECONDS);
        if (!limit.awaitEnd(process)) throw failure("still runs after " + limit);
        return process.exitValue();
    }

    /// Requests thread dumps of all JVMs, kills the remaining processes, and returns an error with all output.
    private AssertionError failure(String reason) throws InterruptedException {
        try {
            for (long pid : Processes.alive()) Processes.signal("QUIT", pid);
            Thread.sleep(1000);
            for (long pid : Processes.alive()) Processes.signal("KILL", pid);
        } catch (IOException e) {
            // no thread dumps
        }
        process.destroyForcibly();
        return new AssertionError("%s%n%s%n--- stdout%n%s--- stderr%n%s"
                .formatted(ProcessOutcome.shown(arguments), reason, out.text(), err.text()));
    }

    /// A thread that collects the output of the process.
    private static final class Reader extends Thread {
        private final InputStream in;
        private final StringBuilder text = new StringBuilder();

        Reader(InputStream in) {
            this.in = in;
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            byte[] buffer = new byte[8192];
            try {
                for (int n; (n = in.read(buffer)) > 0; ) append(new String(buffer, 0, n, StandardCharsets.UTF_8));
            } catch (IOException e) {
                // a kill has closed the stream
            }
        }

        private synchronized void append(String more) {
            text.append(more);
        }

        synchronized String text() {
            return text.toString();
        }
    }
}
