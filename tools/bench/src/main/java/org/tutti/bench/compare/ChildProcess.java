package org.tutti.bench.compare;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A completed child process with the output.
///
/// @param output stdout and stderr, interleaved
/// @param seconds the elapsed time
record ChildProcess(String output, double seconds) {
    private static final int WORDS = 300, GRACE_SECONDS = 3;

    /// @throws TrialException if it fails, or has not ended within `limit`
    static ChildProcess run(List<String> command, Duration limit) throws TrialException, InterruptedException {
        long start = System.nanoTime();
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
        } catch (IOException e) {
            throw new TrialException(command.getFirst() + " does not start: " + e.getMessage());
        }
        Thread end = new Thread(() -> kill(process)); // ends the children of an interrupted comparison
        Runtime.getRuntime().addShutdownHook(end);
        CompletableFuture<byte[]> bytes = CompletableFuture.supplyAsync(() -> {
            try {
                return process.getInputStream().readAllBytes();
            } catch (IOException e) {
                return new byte[0]; // the process was destroyed
            }
        });
        try {
            if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new TrialException(command.getFirst() + " had not ended after " + limit.toSeconds() + " s");
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            String output = new String(bytes.join(), StandardCharsets.UTF_8);
            if (process.exitValue() == 0) return new ChildProcess(output, seconds);
            String words = output.strip().replaceAll("\\s+", " ");
            throw new TrialException("exit code " + process.exitValue() + " of " + String.join(" ", command) + ": "
                    + (words.length() > WORDS ? words.substring(0, WORDS) + " \u2026" : words));
        } finally {
            kill(process);
            forget(end);
        }
    }

    /// Terminates the process gracefully first, because a native launcher removes the ranks' files after
    /// SIGTERM, but not after SIGKILL.
    private static void kill(Process process) {
        List<ProcessHandle> descendants = process.descendants().toList();
        if (!process.isAlive() && descendants.isEmpty()) return;
        process.destroy();
        try {
            process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        descendants.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // this process is already ending
        }
    }

    /// Returns the lines that begin with a size and a value.
    Map<Long, Double> rows() {
        Map<Long, Double> rows = new LinkedHashMap<>();
        for (String line : output.lines().toList()) {
            String[] words = line.strip().split("\\s+");
            if (words.length < 2 || !words[0].matches("\\d+") || !words[1].matches("\\d+(\\.\\d+)?")) continue;
            rows.put(Long.parseLong(words[0]), Double.parseDouble(words[1]));
        }
        return rows;
    }
}
