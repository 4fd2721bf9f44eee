package org.tutti.launch.job;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.status.JobStatus;
import org.tutti.job.status.JobStatus.State;
import org.tutti.launch.run.Debugging;

/// The debugger ports of the ranks of `--debug`. Prints how to attach a debugger, and reports whether a rank
/// waits for a debugger or has one attached, during which [Job] suspends time limits.
///
/// The system chooses the port of a rank. To find the port, this class searches /proc for the process with the
/// environment of the rank, and reads the ports on which the process listens.
final class Debugger {
    private static final Path PROC = Path.of("/proc");

    /// Columns of a line of /proc/PID/net/tcp.
    private static final int LOCAL = 1, STATE = 3, INODE = 9;
    private static final String LISTENS = "0A", CONNECTED = "01";
    private static final String SOCKET = "socket:[";
    private static final int HEX = 16;

    /// The process of a rank, and the last known port on which it listens for a debugger.
    private record ListeningRank(long pid, int port) {}

    private final Debugging debugging;
    private final JobStatus status;
    private final Consumer<String> say;
    private final Map<Integer, ListeningRank> listeningRanks = new HashMap<>();
    private final BitSet connected = new BitSet();

    Debugger(Debugging debugging, JobStatus status, Consumer<String> say) {
        this.debugging = debugging;
        this.status = status;
        this.say = say;
    }

    /// Returns whether a rank waits for a debugger or has one attached. Also searches for new ports. Called a
    /// few times per second.
    boolean holds(RankOutcomes outcome) {
        boolean holds = false;
        for (int rank : debugging.ranks().stream().toArray()) {
            if (outcome.hasFinished(rank)) continue;
            boolean has = isAttached(rank);
            holds |= has || debugging.suspend() && status.state(rank) == State.ABSENT;
        }
        return holds;
    }

    /// Whether a debugger is attached to the rank.
    private boolean isAttached(int rank) {
        ListeningRank known = listeningRanks.get(rank);
        long pid = known == null ? process(rank) : known.pid;
        if (pid == 0) return false;
        try {
            Set<String> own = sockets(pid);
            Set<Integer> listening = ports(pid, own, LISTENS);
            boolean has = known != null && ports(pid, own, CONNECTED).contains(known.port);
            if (has != connected.get(rank)) {
                connected.set(rank, has);
                say.accept("rank " + rank + (has ? " has its debugger" : " has lost its debugger"));
            }
            // after the debugger has disconnected, the JVM listens at a new port
            boolean isKnown = has || known != null && listening.contains(known.port);
            if (!isKnown && !listening.isEmpty()) {
                int port = listening.iterator().next();
                listeningRanks.put(rank, new ListeningRank(pid, port));
                say.accept(how(rank, pid, port));
            }
            return has;
        } catch (IOException e) {
            return false; // the process has ended
        }
    }

    private String how(int rank, long pid, int port) {
        boolean waits = debugging.suspend() && status.state(rank) == State.ABSENT;
        return "rank " + rank + (waits ? " waits for a debugger" : " listens for a debugger") + " at 127.0.0.1:" + port
                + " (pid " + pid + "): jdb -attach 127.0.0.1:" + port
                + ", or in an IDE Remote JVM Debug, attach, host 127.0.0.1, port " + port;
    }

    /// Returns the listening process that has the environment of a rank of this job, or 0.
    private long process(int rank) {
        File[] processes = PROC.toFile().listFiles((dir, name) -> Character.isDigit(name.charAt(0)));
        if (processes == null) return 0;
        for (File process : processes) {
            try {
                long pid = Long.parseLong(process.getName());
                if (isRank(process.toPath(), rank)
                        && !ports(pid, sockets(pid), LISTENS).isEmpty()) return pid;
            } catch (IOException e) {
                // a process of a different user, or a terminated process
            }
        }
        return 0;
    }

    private boolean isRank(Path process, int rank) throws IOException {
        String environment = "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        return environment.contains("\0" + RankEnvironment.JOB + "=" + status.path() + "\0")
                && environment.contains("\0" + RankEnvironment.RANK + "=" + rank + "\0");
    }

    /// Returns the inodes of a process's sockets, as in the system's tables.
    private static Set<String> sockets(long pid) throws IOException {
        Set<String> numbers = new HashSet<>();
        File[] descriptors =
                PROC.resolve(Long.toString(pid)).resolve("fd").toFile().listFiles();
        if (descriptors == null) return numbers;
        for (File descriptor : descriptors) {
            String target = Files.readSymbolicLink(descriptor.toPath()).toString();
            if (target.startsWith(SOCKET)) numbers.add(target.substring(SOCKET.length(), target.length() - 1));
        }
        return numbers;
    }

    /// Returns the ports on the loopback interface of the sockets that are in `state`.
    private static Set<Integer> ports(long pid, Set<String> sockets, String state) throws IOException {
        Set<Integer> ports = new TreeSet<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            Path file = PROC.resolve(Long.toString(pid)).resolve(table);
            if (!Files.exists(file)) continue;
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String[] fields = line.strip().split(" +");
                if (fields.length <= INODE || !fields[STATE].equals(state) || !sockets.contains(fields[INODE]))
                    continue;
                int colon = fields[LOCAL].indexOf(':');
                String address = fields[LOCAL].substring(0, colon);
                if (address.endsWith("0100007F") || address.endsWith("7F000001")) {
                    ports.add(Integer.parseInt(fields[LOCAL].substring(colon + 1), HEX));
                }
            }
        }
        return ports;
    }
}
