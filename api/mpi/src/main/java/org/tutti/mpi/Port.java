package org.tutti.mpi;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.UserLine;
import org.tutti.mpi.engine.Engines;
import org.tutti.spi.CommPort;
import org.tutti.spi.ConnectionMemory;
import org.tutti.spi.CreationKey;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Spawning;
import org.tutti.spi.Transfer;

/// A port at which ranks accept connections from other ranks. The server calls [Comm#accept] with the port. The
/// client calls [Comm#connect] with the name of the port. The program transfers this name to the client, or
/// publishes it under the name of a service. MPI 4.1, section 11.9.
///
///     try (Port port = Port.open(mpi)) {                                   // the server
///         port.publish("solver");
///         Intercomm clients = world.accept(port, 0);
///         …
///     }
///
///     Intercomm server = world.connect(Port.lookup(mpi, "solver"), 0);     // the clients
///
/// Server and client can be ranks of the same world, of worlds that are connected by spawning, or of two jobs
/// of the same user. Each job can run over shared memory or over a library. All ranks of server and client must
/// be on the same machine.
///
/// Processes of a job over shared memory remain one job: they fail together, and communicators, groups and
/// requests have no restrictions. In all other cases, that is between two jobs, or between processes that use a
/// library, the two groups are connected by memory that serves only the port. If a process of the other group
/// dies, all communicators with that group fail, even a communicator whose ranks are all alive. This job
/// continues. Groups of such a communicator have no common rank with groups of the job, requests can be awaited
/// together with requests of the job, and `--profile`, `--trace` and reports do not include the connection.
public final class Port implements AutoCloseable {
    private static final String PREFIX = "tutti-port:", PORT = "port ", SERVICE = "service ";

    /// Provides the numbers of this process's ports, and of the answers for which this process waits. A number
    /// is the tag of the messages to this process for that port or answer.
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Mpi mpi;

    /// The endpoint for processes of this job; null over a library.
    private final @Nullable ConnectionEndpoint job;

    /// The endpoint for other jobs, in the port's memory; null if other jobs cannot connect.
    private final @Nullable ConnectionEndpoint outside;

    private final @Nullable ConnectionMemory memory;
    private final Address address;
    private final Set<String> services = ConcurrentHashMap.newKeySet();

    /// The source line that opened the port, as the end of a sentence.
    final String openedAt = UserLine.at();

    /// The source line that closed the port, as the end of a sentence; null while the port is open.
    private volatile @Nullable String closedAt;

    private Port(Mpi mpi, @Nullable ConnectionEndpoint job, @Nullable ConnectionMemory memory) {
        this.mpi = mpi;
        this.job = job;
        this.memory = memory;
        outside = memory == null ? null : ConnectionEndpoint.into(memory, mpi, "open");
        CommPort world = mpi.where();
        int process = world.process(world.rank());
        address = new Address(process, NUMBERS.incrementAndGet(), memory == null ? "" : memory.address());
    }

    /// The parts of a port's name.
    ///
    /// @param process the number, in the job, of the process that opened the port
    /// @param number the number of the port in that process
    /// @param memory the memory of the port; empty if the port has no memory
    private record Address(int process, int number, String memory) {
        static Address of(@Nullable String name) {
            if (name == null || !name.matches(PREFIX + "\\d{1,10}\\.\\d{1,9}(@/\\S+)?")) {
                throw ConnectionEndpoint.wrong(
                        "connect", "port=" + name + " is not the name of a port; pass the result of Port.name()");
            }
            int dot = name.indexOf('.'), at = name.indexOf('@');
            int end = at < 0 ? name.length() : at;
            return new Address(
                    Integer.parseInt(name.substring(PREFIX.length(), dot)),
                    Integer.parseInt(name.substring(dot + 1, end)),
                    at < 0 ? "" : name.substring(at + 1));
        }

        String name() {
            return PREFIX + process + "." + number + (memory.isEmpty() ? "" : "@" + memory);
        }
    }

    /// Opens a port of this rank. Local. `MPI_Open_port`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException `ERR_PORT` if no other process could connect; `ERR_NO_MEM` if memory is
    ///     insufficient; `ERR_OTHER` after [Mpi#close]
    public static Port open(Mpi mpi) {
        ConnectionEndpoint job = ConnectionEndpoint.ofJob(mpi, "open");
        EngineProvider.Connecting provider = Engines.connecting();
        ConnectionMemory memory = null;
        try {
            if (provider != null) memory = provider.createRendezvous();
        } catch (Fault f) {
            // if other processes cannot attach the memory, the port can still be used within the job
            if (job == null || f.errorClass() != PredefinedErrorClass.ERR_PORT) throw MpiException.of(f);
        }
        if (job == null && memory == null) {
            throw MpiException.of(ConnectionEndpoint.wrong("open", NO_RENDEZVOUS));
        }
        try {
            Port made = new Port(mpi, job, memory);
            String note = PORT + made.name();
            if (made.outside != null)
                made.outside.names.publish(note, Integer.toString(made.outside.process()), "open");
            if (job != null) job.names.publish(note, "", "open");
            mpi.open.made(made);
            return made;
        } catch (Fault f) {
            throw MpiException.of(f);
        }
    }

    private static final String NO_RENDEZVOUS =
            "no shared memory for connections was found; put tutti-shm.jar on the class path or the module path";

    /// Attaches the memory of a port.
    ///
    /// @throws Fault `ERR_PORT` if the memory does not exist
    static ConnectionMemory memory(String address) {
        EngineProvider.Connecting provider = Engines.connecting();
        if (provider == null) throw ConnectionEndpoint.wrong("connect", NO_RENDEZVOUS);
        return provider.attachRendezvous(address);
    }

    /// Returns the name of the port that a process has published under the name of a service. Ports of this job
    /// are searched first, and then the ports of all jobs of this user on this machine. Local.
    /// `MPI_Lookup_name`, MPI 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_NAME` if no port is published under the name, if the process that published it
    ///     has left, or if several ports of other jobs are published under the name
    public static String lookup(Mpi mpi, String service) {
        ConnectionEndpoint job = ConnectionEndpoint.ofJob(mpi, "lookup");
        String found = job == null ? null : job.names.find(SERVICE + service);
        if (found != null) return found;
        EngineProvider.Connecting provider = Engines.connecting();
        List<String> others = provider == null ? List.of() : provider.published(SERVICE + service);
        if (others.size() == 1) return others.getFirst();
        String why = others.isEmpty()
                ? " is not published, or its publisher has left"
                : " is published by " + others.size() + " ports of this user: " + String.join(", ", others)
                        + "; pass the name of one of these ports to connect";
        throw MpiException.argument(ErrorClass.ERR_NAME, "lookup", "service=" + service + why, mpi.where());
    }

    /// Returns the name of this port, which is passed to [Comm#connect]. Local. `MPI_Open_port`, MPI 4.1,
    /// section 11.9.2.
    public String name() {
        return address.name();
    }

    /// Publishes this port under the name of a service, so that [#lookup] finds it. Local. `MPI_Publish_name`,
    /// MPI 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_SERVICE` if a port of this process is already published under the name, or,
    ///     over shared memory, a port of this job; `ERR_PORT` if this port is closed
    public void publish(String service) {
        checkOpen("publish");
        boolean isNew =
                job == null ? !mpi.open.isPublished(service) : job.names.publish(SERVICE + service, name(), "publish");
        if (!isNew) {
            throw MpiException.argument(
                    ErrorClass.ERR_SERVICE,
                    "publish",
                    "service=" + service + " is already published; unpublish it there, or choose a different name",
                    mpi.where());
        }
        services.add(service);
        if (outside != null) outside.names.publish(SERVICE + service, name(), "publish");
    }

    boolean publishes(String service) {
        return services.contains(service);
    }

    /// Withdraws a name that [#publish] has published; [#close] does this, too. Local. `MPI_Unpublish_name`,
    /// MPI 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_SERVICE` if this port is not published under the name; `ERR_PORT` if this port
    ///     is closed
    public void unpublish(String service) {
        checkOpen("unpublish");
        if (services.remove(service)) {
            withdraw(SERVICE + service);
            return;
        }
        throw MpiException.argument(
                ErrorClass.ERR_SERVICE,
                "unpublish",
                "service=" + service + " is not published by this port",
                mpi.where());
    }

    private void withdraw(String key) {
        if (job != null) job.names.withdraw(key);
        if (outside != null) outside.names.withdraw(key);
    }

    /// Closes the port. Current and later calls of [Comm#connect] with the name of this port fail. A second
    /// call has no effect. Local. `MPI_Close_port`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public void close() {
        if (closedAt != null) return;
        mpi.engine("close");
        closedAt = UserLine.at();
        mpi.open.closed(this);
        for (String service : services) withdraw(SERVICE + service);
        withdraw(PORT + name());
        if (job != null) takeRequests(job);
        if (outside != null) {
            takeRequests(outside);
            outside.leave();
        }
        if (memory != null) memory.close();
    }

    /// Removes the pending requests. The senders detect that the port is closed.
    private void takeRequests(ConnectionEndpoint of) {
        while (of.next("close", address.number) != null) {
            // drop the request
        }
    }

    private void checkOpen(String operation) {
        mpi.engine(operation);
        String at = closedAt;
        if (at == null) return;
        throw MpiException.argument(
                ErrorClass.ERR_PORT, operation, "the port " + name() + " was closed" + at, mpi.where());
    }

    @Override
    public String toString() {
        return name();
    }

    // ---- connecting
    //
    //     in one job          client: tag, processes ──▶ server     server: processes ──▶ client
    //     in other jobs       client: tag, size ──▶ server          server: an invitation ──▶ client
    //                         all ranks enter the memory            client: reason if a rank could not ──▶ server

    /// The result of the exchange between the two roots, and the endpoint at which the other root waits.
    ///
    /// @param processes if the two groups are in the same job, the processes of the other group
    /// @param key if the two groups are in the same job, the key with which the communicator is created, as a
    ///     string; created by the server
    /// @param invitation if the two groups are in different jobs, the invitation to enter the memory at
    ///     `address`
    /// @param way the endpoint of the connection to the other root
    /// @param process the number of the other root's process
    /// @param tag the tag of the message for which the other root waits
    private record Agreement(
            int[] processes,
            String key,
            String address,
            String invitation,
            @Nullable ConnectionEndpoint way,
            int process,
            int tag) {
        static Agreement inJob(int[] processes, String key) {
            return new Agreement(processes, key, "", "", null, 0, 0);
        }

        ConnectionEndpoint other() {
            return Objects.requireNonNull(way);
        }

        Spawn.RootResult shared() {
            return Spawn.RootResult.of(key + "\n" + address + "\n" + invitation, processes);
        }
    }

    /// See [Comm#accept].
    static Intercomm accept(Comm comm, @Nullable Port port, int root) {
        return connected(comm, "accept", root, () -> {
            if (port == null) throw ConnectionEndpoint.wrong("accept", "port is null on the root");
            return port.serve(comm);
        });
    }

    /// See [Comm#connect].
    static Intercomm connect(Comm comm, @Nullable String name, int root) {
        return connected(comm, "connect", root, () -> ask(comm, Address.of(name)));
    }

    /// @param side called at the root; exchanges messages with the root of the other group
    private static Intercomm connected(Comm comm, String operation, int root, Supplier<Agreement> side) {
        comm.begin(operation);
        int by = new CollectiveChecks(comm.port).root(operation, root);
        boolean isServer = operation.equals("accept");
        Agreement[] made = new Agreement[1];
        try {
            Spawn.RootResult word = Spawn.RootResult.share(comm, operation, by, () -> {
                made[0] = side.get();
                return made[0].shared();
            });
            String[] words = word.text().split("\n", 3);
            if (word.processes().length > 0) {
                Group remote = Group.of(word.processes(), comm.port.process(comm.rank()), comm.mpi.realm);
                return IntercommBuilder.create(
                        comm.mpi, operation, comm.group(), remote, key(words[0]), comm.childName(operation));
            }
            return comm.mpi.connections().meet(comm, operation, by, words[1], words[2], !isServer, why -> {
                return isServer ? toClient(made[0], why) : toServer(made[0], why);
            });
        } finally {
            // only the client leaves the endpoint: the server's endpoint is part of the port
            if (!isServer && made[0] != null && made[0].way != null) made[0].way.leave();
        }
    }

    private static String text(CreationKey key) {
        return key.process() + "," + key.number();
    }

    private static CreationKey key(String text) {
        int[] numbers = numbers(text);
        return new CreationKey(numbers[0], numbers[1]);
    }

    /// Called at the server's root: sends the reason why a rank of the server could not enter the memory, or an
    /// empty string, and returns the client's reason.
    private static String toClient(Agreement a, String why) {
        Transfer answer = a.other().expect("accept", a.process, a.tag);
        String word = why.isEmpty() ? a.invitation : "";
        if (!a.other().deliver("accept", a.process, a.tag, word + "\n" + why)) {
            a.other().withdraw(answer);
            return why.isEmpty() ? CLIENT_LEFT : why;
        }
        String shared =
                why.isEmpty() ? a.other().await(answer, a.process) : a.other().withdraw(answer);
        return shared == null ? CLIENT_LEFT : shared;
    }

    private static final String CLIENT_LEFT = "the client's root ended before the connection was complete";

    /// Called at the client's root: sends the reason why a rank of the client could not enter the memory, or an
    /// empty string.
    private static String toServer(Agreement a, String why) {
        a.other().send("connect", a.process, a.tag, why);
        return "";
    }

    /// Called at the server's root: waits for a request.
    private Agreement serve(Comm comm) {
        CommPort world = mpi.where();
        if (closedAt != null) {
            throw ConnectionEndpoint.wrong("accept", "the port " + name() + " was closed" + closedAt);
        }
        if (comm.mpi != mpi) {
            throw ConnectionEndpoint.wrong(
                    "accept",
                    "the port " + name() + " was opened by world rank " + world.rank()
                            + "; call accept with that rank as the root");
        }
        AcceptWait asked = new AcceptWait();
        mpi.engine("accept").await(asked);
        ConnectionEndpoint way = Objects.requireNonNull(asked.way);
        ConnectionEndpoint.ConnectionMessage message = Objects.requireNonNull(asked.message);
        String[] words = message.text().split(" ");
        int tag = Integer.parseInt(words[0]);
        if (way == job) {
            String key = text(way.engine().drawKey());
            // from here on, the connection does not depend on the port being open
            if (!way.deliver("accept", message.from(), tag, text(comm.group().processes()) + " " + key)) {
                throw ConnectionEndpoint.wrong("accept", CLIENT_LEFT);
            }
            return Agreement.inJob(numbers(words[1]), key);
        }
        int first = Objects.requireNonNull(memory).newProcesses(comm.size(), "accept");
        int[] own = new int[comm.size()];
        for (int r = 0; r < own.length; r++) own[r] = first + r;
        Spawning spawning = Objects.requireNonNull(way.engine().power(Spawning.class));
        String invitation = spawning.invite(own, Integer.parseInt(words[1]));
        return new Agreement(new int[0], "", address.memory, invitation, way, message.from(), tag);
    }

    /// The wait for a request of a connecting process.
    private final class AcceptWait extends ConnectionEndpoint.OutsideWait {
        private @Nullable ConnectionEndpoint way;
        private ConnectionEndpoint.@Nullable ConnectionMessage message;

        AcceptWait() {
            super("accept", "accept at " + name() + ", waiting for a connection");
        }

        @Override
        public boolean isOver() {
            return message != null || takes(job) || takes(outside);
        }

        private boolean takes(@Nullable ConnectionEndpoint from) {
            if (from == null) return false;
            ConnectionEndpoint.ConnectionMessage next = from.next("accept", address.number);
            // skip requests of processes that have ended in the meantime
            while (next != null && from.names.hasLeftOrDied(next.from())) next = from.next("accept", address.number);
            message = next;
            way = from;
            return message != null;
        }
    }

    /// Called at the client's root: sends a request to the server, and waits for the answer.
    private static Agreement ask(Comm comm, Address server) {
        String name = server.name();
        ConnectionEndpoint job = ConnectionEndpoint.ofJob(comm.mpi, "connect");
        if (job != null && job.names.find(PORT + name) != null) {
            String own = text(comm.group().processes());
            int tag = NUMBERS.incrementAndGet();
            String[] words = answer(comm, job, server, server.process, tag, own).split(" ");
            return Agreement.inJob(numbers(words[0]), words[1]);
        }
        if (server.memory.isEmpty()) throw closed(name, "; it was never opened, or was closed");
        ConnectionEndpoint way = ConnectionEndpoint.into(memory(server.memory), comm.mpi, "connect");
        boolean well = false;
        try {
            String owner = way.names.find(PORT + name);
            if (owner == null) throw closed(name, "; it was closed");
            int process = Integer.parseInt(owner), tag = NUMBERS.incrementAndGet();
            String[] words = answer(comm, way, server, process, tag, Integer.toString(comm.size()))
                    .split("\n", 2);
            if (!words[1].isEmpty()) throw ConnectionEndpoint.wrong("connect", "no connection: " + words[1]);
            well = true;
            return new Agreement(new int[0], "", server.memory, words[0], way, process, tag);
        } finally {
            if (!well) way.leave();
        }
    }

    /// Sends a request, and waits until the answer arrives or the port is closed.
    private static String answer(
            Comm comm, ConnectionEndpoint way, Address server, int process, int tag, String request) {
        Transfer answer = way.expect("connect", process, tag);
        way.send("connect", process, server.number, tag + " " + request);
        String name = server.name();
        comm.mpi
                .engine("connect")
                .await(new ConnectionEndpoint.OutsideWait("connect", "connect to " + name + ", waiting for accept") {
                    @Override
                    public boolean isOver() {
                        return way.isThere(answer) || way.names.find(PORT + name) == null;
                    }
                });
        String text = way.isThere(answer) ? null : way.withdraw(answer);
        if (answer.cancelled) throw closed(name, " any more");
        return text != null ? text : Objects.requireNonNull(way.withdraw(answer));
    }

    private static Fault closed(String name, String when) {
        return ConnectionEndpoint.wrong("connect", "no process has the port " + name + " open" + when);
    }

    private static String text(int[] numbers) {
        return Arrays.stream(numbers).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    }
}
