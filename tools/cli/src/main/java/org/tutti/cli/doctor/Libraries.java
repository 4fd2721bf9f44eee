package org.tutti.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.machine.CommandOutput;
import org.tutti.launch.program.HelperJvm;

/// Loads native libraries in separate processes, and returns the results.
final class Libraries {
    private static final String PROBE = "org.tutti.libmpi.boot.LibraryProbe";

    private static final String TOO_LATE =
            " did not end within " + CommandOutput.LONGEST.toSeconds() + " s: it hangs, or the machine is too busy";

    /// @param broken whether the process that loaded the library terminated abnormally or took too long
    /// @param where the file if loaded, otherwise the loader's message, or how the process ended
    /// @param version as reported by the library; empty if not queried
    /// @param detail additional output of the process
    record Seen(String name, boolean loaded, boolean broken, String where, String version, String detail) {
        /// Whether the result is unknown, because the process took too long.
        boolean isUnknown() {
            return where.endsWith(TOO_LATE);
        }

        /// Returns the result of a query of the library, such as `cuInit`; null if not reported.
        @Nullable
        String answer(String question) {
            for (String word : detail.split(" ")) {
                if (word.startsWith(question + "=")) return word.substring(question.length() + 1);
            }
            return null;
        }
    }

    private Libraries() {}

    /// Loads the libraries of each list in a separate process, all lists in parallel.
    static Map<String, Seen> probe(List<List<String>> groups) {
        Map<String, Seen> seen = new ConcurrentHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (List<String> names : groups) {
            threads.add(Thread.ofPlatform().daemon().start(() -> probeTogether(names, seen)));
        }
        try {
            for (Thread thread : threads) thread.join(CommandOutput.LONGEST.plusSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return seen;
    }

    /// Loads a list of libraries in one process. If a library crashes the process, the next process continues
    /// after this library. After a timeout, no further process is started, because the first may still be
    /// running.
    private static void probeTogether(List<String> names, Map<String, Seen> seen) {
        int at = 0;
        while (at < names.size()) {
            List<String> rest = names.subList(at, names.size());
            String end = probeOnce(rest, seen);
            while (at < names.size() && seen.containsKey(names.get(at))) at++;
            if (at == names.size() || end.isEmpty()) return;
            if (end.endsWith(TOO_LATE)) {
                for (String name : names.subList(at, names.size()))
                    seen.put(name, new Seen(name, false, true, end, "", ""));
                return;
            }
            String name = names.get(at++);
            seen.put(name, new Seen(name, false, true, end, "", ""));
        }
    }

    /// Returns how the process ended, if not normally.
    private static String probeOnce(List<String> names, Map<String, Seen> seen) {
        Path answers = null;
        try {
            answers = Files.createTempFile("tutti-doctor", ".look");
            answers.toFile().deleteOnExit(); // a process that has timed out may still write it
            List<String> arguments = new ArrayList<>(List.of(answers.toString()));
            arguments.addAll(names);
            CommandOutput asked = CommandOutput.of(
                    HelperJvm.command(PROBE, arguments),
                    environment -> environment.keySet().removeAll(JvmCheck.VARIABLES));
            for (String line : Files.readAllLines(answers)) {
                String[] cell = line.split("\t", -1);
                if (cell.length < 3) continue;
                boolean whole = cell.length > 4;
                seen.put(
                        cell[0],
                        new Seen(
                                cell[0],
                                cell[1].equals("loaded"),
                                false,
                                cell[2],
                                whole ? cell[3] : "",
                                whole ? cell[4].strip() : ""));
            }
            return end("loaded it", asked);
        } catch (IOException e) {
            return "the check failed: " + e.getMessage();
        } finally {
            try {
                if (answers != null) Files.deleteIfExists(answers);
            } catch (IOException e) {
                // not reported, because the remaining file is in the directory for temporary files
            }
        }
    }

    /// Returns how a process ended, in a sentence in which `doing`, for example `loaded it`, describes the
    /// process; empty if it ended normally.
    static String end(String doing, @Nullable CommandOutput asked) {
        if (asked == null) return "no JVM could be started for it";
        if (asked.code() == 0) return "";
        if (asked.code() < 0) {
            return "the process that " + doing + TOO_LATE;
        }
        String words =
                asked.out().lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        return "the process that " + doing + " ended with exit code " + asked.code()
                + (words.isEmpty() ? "" : ": " + words);
    }
}
