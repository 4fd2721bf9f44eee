package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.UserLine;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.NameService;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Where ranks wait for others that want to be connected with them. One side calls [Comm#accept] on it, the other
/// one [Comm#connect] with its name, which the program hands over, or publishes under the name of a service. Both
/// sides are processes of one job over shared memory: ranks of one world, or of worlds that were spawned. MPI 4.1,
/// section 11.9.
///
///     try (Port port = Port.open(mpi)) {                                   // the server
///         port.publish("solver");
///         Intercomm clients = world.accept(port, 0);
///         …
///     }
///
///     Intercomm server = world.connect(Port.lookup(mpi, "solver"), 0);     // the clients
public final class Port implements AutoCloseable {
    private static final String PREFIX = "tutti-port:", PORT = "port ", SERVICE = "service ";

    /// The most processes that a server may have.
    private static final int MOST = 1 << 16;

    /// Numbers of ports and of answers, which are tags of messages to this process.
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final Mpi mpi;
    private final NameService names;
    private final Address address;
    private final Set<String> services = ConcurrentHashMap.newKeySet();

    /// Where it was opened, as the end of a sentence.
    final String openedAt = UserLine.at();

    /// Where it was closed, as the end of a sentence; null while it is open.
    private volatile @Nullable String closedAt;

    private Port(Mpi mpi, NameService names, Address address) {
        this.mpi = mpi;
        this.names = names;
        this.address = address;
    }

    /// What a name says.
    ///
    /// @param process that has opened the port
    /// @param number of the port there
    private record Address(int process, int number) {
        static Address of(@Nullable String name) {
            if (name == null || !name.matches(PREFIX + "\\d{1,8}\\.\\d{1,9}")) {
                throw wrong("connect", "port=" + name + " is no port's name; pass what Port.name() has returned");
            }
            int dot = name.indexOf('.');
            int process = Integer.parseInt(name.substring(PREFIX.length(), dot));
            return new Address(process, Integer.parseInt(name.substring(dot + 1)));
        }

        String name() {
            return PREFIX + process + "." + number;
        }
    }

    /// Opens a port of this rank. Local. `MPI_Open_port`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException `ERR_PORT` over a library; `ERR_OTHER` after [Mpi#close]
    public static Port open(Mpi mpi) {
        NameService names = names(mpi, "open");
        CommPort world = mpi.where();
        Address address = new Address(world.process(world.rank()), NUMBERS.incrementAndGet());
        names.publish(PORT + address.name(), "", "open");
        Port port = new Port(mpi, names, address);
        mpi.made(port);
        return port;
    }

    /// Returns the name of the port that another process of the job has published under the name of a service.
    /// Local. `MPI_Lookup_name`, MPI 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_NAME` when there is none, or its process has left; `ERR_PORT` over a library
    public static String lookup(Mpi mpi, String service) {
        String found = names(mpi, "lookup").find(SERVICE + service);
        if (found != null) return found;
        throw MpiException.argument(
                ErrorClass.ERR_NAME,
                "lookup",
                "service=" + service + " is not published, or who has published it has left",
                mpi.where());
    }

    /// Returns what others connect to. Local. `MPI_Open_port`, MPI 4.1, section 11.9.2.
    public String name() {
        return address.name();
    }

    /// Lets other processes of the job find this port under the name of a service. Local. `MPI_Publish_name`, MPI
    /// 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_SERVICE` when another port is published so; `ERR_PORT` when this one is closed
    public void publish(String service) {
        checkOpen("publish");
        if (!names.publish(SERVICE + service, name(), "publish")) {
            throw MpiException.argument(
                    ErrorClass.ERR_SERVICE,
                    "publish",
                    "service=" + service + " is published already; unpublish it there, or take another name",
                    mpi.where());
        }
        services.add(service);
    }

    /// Takes back what [#publish] did; so does [#close]. Local. `MPI_Unpublish_name`, MPI 4.1, section 11.9.4.
    ///
    /// @throws MpiException `ERR_SERVICE` when this port is not published so; `ERR_PORT` when it is closed
    public void unpublish(String service) {
        checkOpen("unpublish");
        if (services.remove(service) && names.withdraw(SERVICE + service)) return;
        throw MpiException.argument(
                ErrorClass.ERR_SERVICE,
                "unpublish",
                "service=" + service + " is not published by this port",
                mpi.where());
    }

    /// Closes it: who waits in [Comm#connect] for it gets an error, and so does who connects from now on. A second
    /// call does nothing. Local. `MPI_Close_port`, MPI 4.1, section 11.9.2.
    ///
    /// @throws MpiException `ERR_OTHER` after [Mpi#close]
    @Override
    public void close() {
        if (closedAt != null) return;
        EngineCalls engine = mpi.engine("close");
        closedAt = UserLine.at();
        mpi.closed(this);
        for (String service : services) names.withdraw(SERVICE + service);
        names.withdraw(PORT + name());
        while (receive(engine, "close", false) != null) {
            // its sender sees that the port is closed
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

    private static NameService names(Mpi mpi, String operation) {
        NameService names = mpi.engine(operation).power(NameService.class);
        if (names != null) return names;
        throw MpiException.argument(
                ErrorClass.ERR_PORT,
                operation,
                "ports connect processes over shared memory only, not over " + mpi.engineDescription(),
                mpi.where());
    }

    /// What a root could not do; the others are to hear of it.
    private static Fault wrong(String operation, String text) {
        return Fault.argument(PredefinedErrorClass.ERR_PORT, operation, text, null);
    }

    // ---- connecting: the client sends its processes and the tag of the answer, the server its own processes

    /// See [Comm#accept].
    static Intercomm accept(Comm comm, @Nullable Port port, int root) {
        names(comm.mpi, "accept");
        return connected(comm, "accept", root, () -> {
            if (port == null) throw wrong("accept", "port is null on the root");
            return port.serve(comm);
        });
    }

    /// See [Comm#connect].
    static Intercomm connect(Comm comm, @Nullable String name, int root) {
        NameService names = names(comm.mpi, "connect");
        return connected(comm, "connect", root, () -> ask(comm, names, Address.of(name)));
    }

    /// @param side what the root does with the other side
    private static Intercomm connected(Comm comm, String operation, int root, Supplier<Spawn.RootResult> side) {
        EngineCalls engine = comm.begin(operation);
        CommHandle.checkOneGroup(operation, comm.port);
        int by = new CollectiveChecks(comm.port).root(operation, root);
        Spawn.RootResult word = Spawn.RootResult.share(comm, operation, by, side);
        Group remote = Group.of(word.processes(), comm.port.process(comm.rank()));
        int tag = Math.floorMod(word.text().hashCode(), engine.info().tagUpperBound());
        return IntercommBuilder.create(comm.mpi, operation, comm.group(), remote, tag, comm.childName(operation));
    }

    private Spawn.RootResult serve(Comm comm) {
        CommPort world = mpi.where();
        if (closedAt != null) throw wrong("accept", "the port " + name() + " was closed" + closedAt);
        if (comm.mpi != mpi) {
            throw wrong(
                    "accept",
                    "the port " + name() + " was opened by world rank " + world.rank()
                            + "; accept where it was opened");
        }
        EngineCalls engine = comm.mpi.engine("accept");
        Transfer request = receive(engine, "accept", true);
        if (request == null) throw new IllegalStateException("accept: nobody has asked");
        int[] words = ints(request);
        int[] mine = comm.group().processes();
        Transfer answer = message(engine, names, "accept", Transfer.Kind.SEND, request.source, words[0], mine);
        answer.synchronous = true; // who closes the port afterwards shuts nobody out
        engine.run(answer);
        CommHandle.throwFailure(answer);
        int[] theirs = new int[words.length - 1];
        System.arraycopy(words, 1, theirs, 0, theirs.length);
        return Spawn.RootResult.of(name(), theirs);
    }

    /// The next request; null when there is none and nobody wants to wait.
    private @Nullable Transfer receive(EngineCalls engine, String operation, boolean waits) {
        int[] none = {};
        Transfer t = message(engine, names, operation, Transfer.Kind.RECV, Transfer.ANY_SOURCE, address.number, none);
        if (!engine.probe(t, waits, true)) return null;
        t.type = ElementType.INT; // of what a probe finds nobody knows the type
        into(t, new int[(int) (t.receivedBytes / Integer.BYTES)]);
        engine.run(t);
        CommHandle.throwFailure(t);
        return t;
    }

    private static Spawn.RootResult ask(Comm comm, NameService names, Address server) {
        String name = server.name();
        if (names.find(PORT + name) == null) throw closed(name, "; it was never opened, or was closed");
        EngineCalls engine = comm.mpi.engine("connect");
        int tag = NUMBERS.incrementAndGet();
        int[] mine = comm.group().processes();
        int[] request = new int[1 + mine.length];
        request[0] = tag;
        System.arraycopy(mine, 0, request, 1, mine.length);
        Transfer asked = message(engine, names, "connect", Transfer.Kind.SEND, server.process, server.number, request);
        engine.run(asked);
        CommHandle.throwFailure(asked);
        Transfer answer = message(engine, names, "connect", Transfer.Kind.RECV, server.process, tag, new int[MOST]);
        engine.start(answer);
        engine.await(new Answer(answer, names, name));
        if (!answer.isDone()) {
            engine.cancel(answer);
            if (answer.cancelled) throw closed(name, " any more");
        }
        CommHandle.throwFailure(answer);
        int[] theirs = new int[(int) (answer.receivedBytes / Integer.BYTES)];
        System.arraycopy(ints(answer), 0, theirs, 0, theirs.length);
        return Spawn.RootResult.of(name, theirs);
    }

    private static Fault closed(String name, String when) {
        return wrong("connect", "nobody has the port " + name + " open" + when);
    }

    /// The wait for the server's answer, or for the port's end.
    private record Answer(Transfer answer, NameService names, String name) implements LocalWait {
        @Override
        public String operation() {
            return "connect";
        }

        @Override
        public String what() {
            return "connect to " + name + ", for its process to accept";
        }

        @Override
        public boolean isOver() {
            return answer.isDone() || names.find(PORT + name) == null;
        }

        @Override
        public boolean alsoEndsByMessages() {
            return true;
        }

        /// The server may be of another world.
        @Override
        public boolean endsFromOutside() {
            return true;
        }
    }

    private static Transfer message(
            EngineCalls engine,
            NameService names,
            String operation,
            Transfer.Kind kind,
            int process,
            int tag,
            int[] words) {
        Transfer t = engine.transfer().fill(operation, names.allProcesses(), kind, process, tag, ElementType.INT);
        t.within(Transfer.Lane.MAKING, process, null);
        return into(t, words);
    }

    private static Transfer into(Transfer t, int[] words) {
        MemorySegment memory = MemorySegment.ofArray(words);
        return t.at(Memory.of(memory), 0, memory.byteSize());
    }

    private static int[] ints(Transfer t) {
        return t.memory.segment().toArray(JAVA_INT);
    }
}
