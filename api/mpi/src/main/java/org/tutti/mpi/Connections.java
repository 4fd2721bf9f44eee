package org.tutti.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.tutti.mpi.Session.Membership;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.spi.ConnectionMemory;
import org.tutti.spi.Fault;
import org.tutti.spi.Spawning;

/// The groups of other jobs with which this rank is connected through a [Port]. For each group, there is an
/// [Mpi] with an engine in the port's memory. All communicators with this group are created from this [Mpi].
///
/// A thread cannot wait in two engines at the same time. Therefore, while a connection exists, the progress
/// thread polls all engines, even if the rank also waits in one of them.
final class Connections implements ProgressThread.Task {
    private static final AtomicInteger REALMS = new AtomicInteger(Group.JOB);

    private final Mpi mpi;

    /// The connections. Guarded by the monitor of this object, like [#isServed].
    private final List<Mpi> open = new ArrayList<>();

    private boolean isServed;

    Connections(Mpi mpi) {
        this.mpi = mpi;
    }

    static int newRealm() {
        return REALMS.incrementAndGet();
    }

    /// Creates the intercommunicator of two groups that have agreed to connect. Collective over the ranks of
    /// `comm`, the local group.
    ///
    /// @param address the address of the memory
    /// @param invitation see [ConnectionMemory#enter]
    /// @param invited see [ConnectionMemory#enter]
    /// @param openPort called at the root with the reason why a rank of this group could not enter the memory,
    ///     or with an empty string on success; sends this text to the other group, and returns the text of the
    ///     other group
    /// @throws MpiException `ERR_PORT` if a rank of either group cannot attach the memory
    Intercomm meet(
            Comm comm,
            String operation,
            int root,
            String address,
            String invitation,
            boolean invited,
            UnaryOperator<String> openPort) {
        String name = comm.childName(operation);
        Mpi made = null;
        String failure = "";
        try {
            made = enter(address, invitation, invited, comm.rank());
        } catch (Fault | MpiException e) {
            failure = "rank " + comm.rank() + " of " + comm.name() + ": " + e.getMessage();
        }
        boolean well = false;
        try {
            String first = comm.allgatherObject(failure).stream()
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse("");
            Spawn.RootResult shared = Spawn.RootResult.share(
                    comm, operation, root, () -> Spawn.RootResult.of(Objects.requireNonNull(openPort.apply(first))));
            String why = first.isEmpty() ? shared.text() : first;
            if (!why.isEmpty() || made == null) {
                throw MpiException.of(ConnectionEndpoint.wrong(operation, "no connection: " + why));
            }
            EngineCalls engine = made.engine(operation);
            Spawning spawning = Objects.requireNonNull(engine.power(Spawning.class));
            add(made);
            Intercomm both = Intercomm.met(made, engine.meet(spawning, invitation), name);
            well = true;
            return both;
        } finally {
            if (!well && made != null) made.close();
        }
    }

    private static Mpi enter(String address, String invitation, boolean invited, int rank) {
        ConnectionMemory memory = Port.memory(address);
        EngineCalls engine = new EngineCalls(memory.enter(invitation, invited, rank), null);
        return new Membership(engine, null).begin(Mpi.Kind.CONNECTION);
    }

    private void add(Mpi made) {
        boolean first;
        synchronized (this) {
            open.add(made);
            first = !isServed;
            isServed = true;
        }
        if (first) mpi.progress("connect").add(this);
    }

    @Override
    public boolean poll() {
        EngineCalls own = mpi.engineNow();
        List<Mpi> now;
        synchronized (this) {
            open.removeIf(Mpi::isClosed);
            if (open.isEmpty()) {
                isServed = false;
                return true;
            }
            now = List.copyOf(open);
        }
        move(own);
        for (Mpi other : now) {
            other.engineNow().failWith(own);
            move(other.engineNow());
        }
        return false;
    }

    private static void move(EngineCalls engine) {
        try {
            engine.move();
        } catch (MpiException e) {
            // the next call on a communicator of this engine reports the failure
        }
    }

    @Override
    public void notifyCompletion() {
        // no caller needs the result
    }

    @Override
    public void fail(Throwable why) {
        // the Mpi is closed after the failure, and then closes these connections
    }

    /// Disconnects from all other jobs.
    void close() {
        List<Mpi> left;
        synchronized (this) {
            left = List.copyOf(open);
            open.clear();
        }
        MpiException first = null;
        for (Mpi each : left) {
            try {
                each.close();
            } catch (MpiException e) {
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        if (first != null) throw first;
    }
}
