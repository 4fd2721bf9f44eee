package org.tutti.train;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.RankEnvironment.Launcher;

/// Where and as whom this process meets the others, by torchrun's variables. Rank 0 listens.
///
/// @param localRank its rank among those of its machine; -1 where it is not known
/// @param localSize how many ranks its machine has; -1 where nobody has told
/// @param host this machine
/// @param networkInterface that messages shall take, by `GLOO_SOCKET_IFNAME`; null for any
/// @param timeout for all to come, and later for each message
/// @see <a href="https://docs.pytorch.org/docs/stable/elastic/run.html">torchrun's variables</a>
public record Meeting(
        int rank,
        int size,
        int localRank,
        int localSize,
        String address,
        int port,
        String host,
        @Nullable String networkInterface,
        Duration timeout) {
    private static final String RANK = "RANK";
    private static final String WORLD_SIZE = "WORLD_SIZE";
    private static final String MASTER_ADDR = "MASTER_ADDR";
    private static final String MASTER_PORT = "MASTER_PORT";

    private static final String INTERFACE = "GLOO_SOCKET_IFNAME";

    /// PyTorch's.
    private static final String USUAL_PORT = "29500";

    private static final String LOCAL_RANK = "LOCAL_RANK";
    private static final String LOCAL_WORLD_SIZE = "LOCAL_WORLD_SIZE";

    /// As this process's environment says, where no launcher of MPI has spoken. With `withoutMpi`, such a
    /// launcher's ranks meet, too: at this machine, unless `MASTER_ADDR` says where.
    ///
    /// @throws TrainingException when the environment contradicts itself, or a part of it is missing or wrong
    public static Optional<Meeting> current(boolean withoutMpi, Duration timeout) {
        return current(System.getenv(), withoutMpi, timeout);
    }

    /// Returns the launcher's `--stall`, in seconds, for ranks whose waits it does not see; null where it has not said
    /// it.
    public static @Nullable String stallSeconds() {
        return System.getenv("TUTTI_STALL");
    }

    static Optional<Meeting> current(Map<String, String> environment, boolean withoutMpi, Duration timeout) {
        Map<String, String> told = new HashMap<>(environment);
        told.remove(RANK);
        told.remove(WORLD_SIZE);
        RankEnvironment place;
        try {
            place = RankEnvironment.of(told);
        } catch (JobException e) {
            throw new TrainingException(String.valueOf(e.getMessage()));
        }
        if (place.launcher() == Launcher.NONE) return of(environment, timeout);
        if (!withoutMpi) return Optional.empty();
        told.put(RANK, Integer.toString(place.rank()));
        if (place.size() > 0) told.put(WORLD_SIZE, Integer.toString(place.size()));
        if (place.localSize() == place.size()) told.putIfAbsent(MASTER_ADDR, "127.0.0.1");
        told.putIfAbsent(MASTER_PORT, USUAL_PORT);
        return of(told, timeout);
    }

    /// As that environment says; empty when it speaks of none. `RANK` alone may be anybody's.
    ///
    /// @throws TrainingException when a part of it is missing or wrong
    public static Optional<Meeting> of(Map<String, String> environment, Duration timeout) {
        boolean place = environment.containsKey(RANK) && environment.containsKey(WORLD_SIZE);
        if (!place && !environment.containsKey(MASTER_ADDR)) return Optional.empty();
        List<String> missing = new ArrayList<>();
        for (String name : new String[] {RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT}) {
            if (environment.getOrDefault(name, "").isBlank()) missing.add(name);
        }
        if (!missing.isEmpty()) {
            throw new TrainingException("of torchrun's variables " + told(environment) + " are set, and not "
                    + String.join(", ", missing) + "; set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT for every"
                    + " process, or none of them");
        }
        int size = number(environment, WORLD_SIZE, 1, Integer.MAX_VALUE);
        return Optional.of(new Meeting(
                number(environment, RANK, 0, size - 1),
                size,
                environment.containsKey(LOCAL_RANK) ? number(environment, LOCAL_RANK, 0, size - 1) : -1,
                environment.containsKey(LOCAL_WORLD_SIZE) ? number(environment, LOCAL_WORLD_SIZE, 1, size) : -1,
                environment.getOrDefault(MASTER_ADDR, "").strip(),
                number(environment, MASTER_PORT, 1, 65535),
                Host.name(),
                environment.get(INTERFACE),
                timeout));
    }

    private static String told(Map<String, String> environment) {
        List<String> set = new ArrayList<>();
        for (String name : new String[] {RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT}) {
            String value = environment.get(name);
            if (value != null) set.add(name + "=" + value);
        }
        return String.join(", ", set);
    }

    private static int number(Map<String, String> environment, String name, int least, int most) {
        @Nullable String text = environment.get(name);
        try {
            int value = Integer.parseInt(String.valueOf(text).strip());
            if (value >= least && value <= most) return value;
        } catch (NumberFormatException e) {
            // said below, as for any other wrong one
        }
        throw new TrainingException(name + "=" + text + ": a number of " + least + " to " + most + " is expected");
    }
}
