package org.tutti.e2e.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/// The descendants of this JVM's [Command]s, read from /proc, including processes with terminated parents.
public final class Processes {
    private Processes() {}

    static final String MARK_NAME = "E2E_MARK";
    static final String MARK = UUID.randomUUID().toString();

    private static final byte[] MARKED = (MARK_NAME + "=" + MARK).getBytes(StandardCharsets.ISO_8859_1);
    private static final int TICKS_PER_SECOND = 100;

    /// Returns the processes that are alive. A zombie does not count, because it has no environment.
    public static Set<Long> alive() {
        Set<Long> pids = new HashSet<>();
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                String name = entry.getFileName().toString();
                if (Character.isDigit(name.charAt(0)) && isMarked(entry)) pids.add(Long.valueOf(name));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return pids;
    }

    private static boolean isMarked(Path process) {
        try {
            byte[] environment = Files.readAllBytes(process.resolve("environ"));
            for (int i = 0; i + MARKED.length <= environment.length; i++) {
                if ((i == 0 || environment[i - 1] == 0) && matches(environment, i)) return true;
            }
        } catch (IOException e) {
            // the process has ended, or is that of a different user
        }
        return false;
    }

    private static boolean matches(byte[] environment, int at) {
        for (int i = 0; i < MARKED.length; i++) if (environment[at + i] != MARKED[i]) return false;
        return true;
    }

    /// Returns a shortened command line for messages.
    public static String describe(long pid) {
        try {
            String line = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
            String end = line.length() > 160 ? "… " + line.substring(line.length() - 120) : line;
            return pid + " (" + end.strip() + ")";
        } catch (IOException e) {
            return pid + " (has ended)";
        }
    }

    /// Waits until no process is alive. Returns the processes that are still alive after `seconds`.
    public static Set<Long> awaitNone(int seconds) throws InterruptedException {
        HangLimit limit = new HangLimit(seconds);
        Set<Long> alive = alive();
        while (!alive.isEmpty() && !limit.isOver()) {
            Thread.sleep(20);
            alive = alive();
        }
        return alive;
    }

    /// Whether SIGINT is ignored. A shell without job control starts background commands with SIGINT ignored,
    /// and all children inherit this setting.
    private static final boolean IGNORES_INT = ignoresInt();

    private static final int INT_BIT = 1 << 1;

    private static boolean ignoresInt() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String ignored =
                    lines.filter(line -> line.startsWith("SigIgn:")).findAny().orElse("SigIgn:\t0");
            return (Long.parseUnsignedLong(ignored.substring(ignored.indexOf('\t') + 1), 16) & INT_BIT) != 0;
        } catch (IOException e) {
            return false;
        }
    }

    /// Returns a command that SIGINT ends, even if the parent of this JVM ignores the signal.
    static List<String> withSignals(List<String> arguments) {
        if (!IGNORES_INT) return arguments;
        return Stream.concat(Stream.of("env", "--default-signal=INT"), arguments.stream())
                .toList();
    }

    /// Sends a signal, for example `KILL` or `INT`, to a process started by these tests.
    public static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /// Returns the CPU time that the process has used.
    public static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / (double) TICKS_PER_SECOND;
    }

    /// Returns the open file descriptors: the target of each link in /proc/PID/fd.
    public static List<String> descriptors(long pid) throws IOException {
        List<String> targets = new ArrayList<>();
        try (Stream<Path> links = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path link : (Iterable<Path>) links::iterator) {
                try {
                    targets.add(link.getFileName() + " " + Files.readSymbolicLink(link));
                } catch (IOException e) {
                    // closed in the meantime
                }
            }
        }
        return targets;
    }

    /// Whether the process owns a socket with an inode listed in /proc/PID/net/tcp, tcp6, udp or udp6.
    public static boolean ownsInternetSocket(long pid) throws IOException {
        Set<String> inodes = new HashSet<>();
        for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
            Path file = Path.of("/proc/" + pid + "/net/" + table);
            if (!Files.exists(file)) continue;
            for (String line : Files.readAllLines(file)) inodes.add(line.strip().split("\\s+")[9]);
        }
        for (String descriptor : descriptors(pid)) {
            int at = descriptor.indexOf("socket:[");
            if (at >= 0 && inodes.contains(descriptor.substring(at + "socket:[".length(), descriptor.length() - 1))) {
                return true;
            }
        }
        return false;
    }
}
