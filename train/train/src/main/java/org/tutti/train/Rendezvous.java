package org.tutti.train;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;
import org.tutti.job.environment.JobException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.RankEnvironment.Launcher;

/// The rank of this process and the address at which ranks connect without MPI, from torchrun's variables. Rank
/// 0 listens at the address.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/elastic/run.html">torchrun's variables</a>
public final class Rendezvous {
    private static final String RANK = "RANK";
    private static final String WORLD_SIZE = "WORLD_SIZE";
    private static final String MASTER_ADDR = "MASTER_ADDR";
    private static final String MASTER_PORT = "MASTER_PORT";

    private static final String INTERFACE = "GLOO_SOCKET_IFNAME";

    /// PyTorch's default.
    private static final String DEFAULT_PORT = "29500";

    private static final String LOCAL_RANK = "LOCAL_RANK";
    private static final String LOCAL_WORLD_SIZE = "LOCAL_WORLD_SIZE";

    private final int rank;
    private final int size;
    private final OptionalInt localRank;
    private final OptionalInt localSize;
    private final String address;
    private final int port;
    private final String hostName;
    private final @Nullable String networkInterface;
    private final Duration timeout;

    private Rendezvous(
            int rank,
            int size,
            OptionalInt localRank,
            OptionalInt localSize,
            String address,
            int port,
            String hostName,
            @Nullable String networkInterface,
            Duration timeout) {
        this.rank = rank;
        this.size = size;
        this.localRank = localRank;
        this.localSize = localSize;
        this.address = address;
        this.port = port;
        this.hostName = hostName;
        this.networkInterface = networkInterface;
        this.timeout = timeout;
    }

    /// Returns a rendezvous at this address, for a rank on this machine, with the default timeout, over any
    /// network interface.
    ///
    /// @throws IllegalArgumentException if `rank` is not one of `size` ranks
    public static Rendezvous of(int rank, int size, String address, int port) {
        if (rank < 0 || rank >= size)
            throw new IllegalArgumentException("Rendezvous.of: rank=" + rank + ", size=" + size);
        OptionalInt none = OptionalInt.empty();
        return new Rendezvous(rank, size, none, none, address, port, Host.name(), null, ProcessGroup.DEFAULT_TIMEOUT);
    }

    /// Returns a copy in which this process has the number `local` among the ranks of its machine.
    ///
    /// @throws IllegalArgumentException when `local` is negative
    public Rendezvous withLocalRank(int local) {
        if (local < 0) throw new IllegalArgumentException("withLocalRank: local=" + local + " is negative");
        return new Rendezvous(
                rank, size, OptionalInt.of(local), localSize, address, port, hostName, networkInterface, timeout);
    }

    /// Returns a copy with this number of ranks on the machine.
    ///
    /// @throws IllegalArgumentException when `local` is less than 1
    public Rendezvous withLocalSize(int local) {
        if (local < 1) throw new IllegalArgumentException("withLocalSize: local=" + local + " is less than 1");
        return new Rendezvous(
                rank, size, localRank, OptionalInt.of(local), address, port, hostName, networkInterface, timeout);
    }

    /// Returns a copy with `name` as the name of this machine.
    public Rendezvous withHostName(String name) {
        Objects.requireNonNull(name, "withHostName: name is null");
        return new Rendezvous(rank, size, localRank, localSize, address, port, name, networkInterface, timeout);
    }

    /// Returns a copy that uses this network interface for messages.
    public Rendezvous withNetworkInterface(String name) {
        Objects.requireNonNull(name, "withNetworkInterface: name is null");
        return new Rendezvous(rank, size, localRank, localSize, address, port, hostName, name, timeout);
    }

    /// Returns a copy with this timeout.
    ///
    /// @throws IllegalArgumentException when `limit` is not positive
    public Rendezvous withTimeout(Duration limit) {
        if (!Objects.requireNonNull(limit, "withTimeout: limit is null").isPositive()) {
            throw new IllegalArgumentException("withTimeout: limit=" + limit + " is not positive");
        }
        return new Rendezvous(rank, size, localRank, localSize, address, port, hostName, networkInterface, limit);
    }

    public int rank() {
        return rank;
    }

    public int size() {
        return size;
    }

    /// Returns the number of this process among the ranks of its machine, from 0; empty if unknown.
    public OptionalInt localRank() {
        return localRank;
    }

    /// Returns the number of ranks on the machine; empty if unknown.
    public OptionalInt localSize() {
        return localSize;
    }

    /// Returns the address at which rank 0 listens.
    public String address() {
        return address;
    }

    /// Returns the port at which rank 0 listens.
    public int port() {
        return port;
    }

    /// Returns the name of this machine.
    public String hostName() {
        return hostName;
    }

    /// Returns the network interface for messages, from `GLOO_SOCKET_IFNAME`; null for any.
    public @Nullable String networkInterface() {
        return networkInterface;
    }

    /// Returns the maximum time until all ranks are connected, and later for each message.
    public Duration timeout() {
        return timeout;
    }

    @Override
    public String toString() {
        return "Rendezvous[rank " + rank + " of " + size + " at " + address + ":" + port + "]";
    }

    /// Returns the rendezvous of this process's environment; null if an MPI launcher has started the process,
    /// or the environment has no rendezvous.
    ///
    /// @throws TrainingException if variables contradict each other, or a variable is missing or wrong
    public static @Nullable Rendezvous current(Duration timeout) {
        return current(System.getenv(), false, timeout);
    }

    /// As [#current], but also supports ranks that an MPI launcher has started. If all these ranks run on one
    /// machine, they connect at `127.0.0.1` by default; otherwise, `MASTER_ADDR` must be set.
    ///
    /// @throws TrainingException as [#current]
    public static @Nullable Rendezvous currentWithoutMpi(Duration timeout) {
        return current(System.getenv(), true, timeout);
    }

    /// Returns the launcher's `--stall`, in seconds, for backends with waits that the launcher cannot observe,
    /// such as gloo; null if not set.
    public static @Nullable String stallSeconds() {
        return System.getenv("TUTTI_STALL");
    }

    static @Nullable Rendezvous current(Map<String, String> environment, boolean withoutMpi, Duration timeout) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.remove(RANK);
        variables.remove(WORLD_SIZE);
        RankEnvironment place;
        try {
            place = RankEnvironment.of(variables);
        } catch (JobException e) {
            throw new TrainingException(String.valueOf(e.getMessage()));
        }
        if (place.launcher() == Launcher.NONE) return ofEnvironment(environment, timeout);
        if (!withoutMpi) return null;
        variables.put(RANK, Integer.toString(place.rank()));
        if (place.size() > 0) variables.put(WORLD_SIZE, Integer.toString(place.size()));
        if (place.localSize() == place.size()) variables.putIfAbsent(MASTER_ADDR, "127.0.0.1");
        variables.putIfAbsent(MASTER_PORT, DEFAULT_PORT);
        return ofEnvironment(variables, timeout);
    }

    /// Returns the rendezvous that an environment describes; null if it describes none. `RANK` without the
    /// other variables is ignored, because it may have a different meaning.
    ///
    /// @throws TrainingException if a variable is missing or wrong
    public static @Nullable Rendezvous ofEnvironment(Map<String, String> environment, Duration timeout) {
        boolean place = environment.containsKey(RANK) && environment.containsKey(WORLD_SIZE);
        if (!place && !environment.containsKey(MASTER_ADDR)) return null;
        List<String> missing = new ArrayList<>();
        for (String name : new String[] {RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT}) {
            if (environment.getOrDefault(name, "").isBlank()) missing.add(name);
        }
        if (!missing.isEmpty()) {
            throw new TrainingException("of torchrun's variables " + variables(environment) + " are set, and not "
                    + String.join(", ", missing) + "; set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT for every"
                    + " process, or none");
        }
        int size = number(environment, WORLD_SIZE, 1, Integer.MAX_VALUE);
        return new Rendezvous(
                number(environment, RANK, 0, size - 1),
                size,
                optionalNumber(environment, LOCAL_RANK, 0, size - 1),
                optionalNumber(environment, LOCAL_WORLD_SIZE, 1, size),
                environment.getOrDefault(MASTER_ADDR, "").strip(),
                number(environment, MASTER_PORT, 1, 65535),
                Host.name(),
                environment.get(INTERFACE),
                timeout);
    }

    private static String variables(Map<String, String> environment) {
        List<String> set = new ArrayList<>();
        for (String name : new String[] {RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT}) {
            String value = environment.get(name);
            if (value != null) set.add(name + "=" + value);
        }
        return String.join(", ", set);
    }

    private static OptionalInt optionalNumber(Map<String, String> environment, String name, int least, int most) {
        if (!environment.containsKey(name)) return OptionalInt.empty();
        return OptionalInt.of(number(environment, name, least, most));
    }

    private static int number(Map<String, String> environment, String name, int least, int most) {
        @Nullable String text = environment.get(name);
        try {
            int value = Integer.parseInt(String.valueOf(text).strip());
            if (value >= least && value <= most) return value;
        } catch (NumberFormatException e) {
            // reported below, like any other wrong value
        }
        throw new TrainingException(name + "=" + text + ": a number of " + least + " to " + most + " is expected");
    }
}
