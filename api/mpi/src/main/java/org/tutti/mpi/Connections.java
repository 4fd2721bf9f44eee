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

/// The groups of other jobs that this rank is connected with at a [Port]: for each an [Mpi] of its own, on an engine
/// in the port's memory, of which all communicators with that group are made.
///
/// Nobody waits in two engines at once. So while there is a connection, the progress thread moves the messages of all
/// engines: a rank that waits in one goes on in the others.
final class Connections implements ProgressThread.Task {
    private static final AtomicInteger REALMS = new AtomicInteger(Group.JOB);

    private final Mpi mpi;

    /// Of this and [#isLookedAfter] the monitor of this object.
    private final List<Mpi> open = new ArrayList<>();

    private boolean isLookedAfter;

    Connections(Mpi mpi) {
        this.mpi = mpi;
    }

    static int newRealm() {
        return REALMS.incrementAndGet();
    }

    /// Makes the intercommunicator of two groups that have agreed to meet. Collective over the ranks of `comm`, one
    /// of the groups.
    ///
    /// @param address of the memory
    /// @param invited see [ConnectionMemory#enter]
    /// @param tell of the root: tells the other group why a rank of this one could not come, with an empty text
    ///     when all have; and returns why one of the other group could not
    /// @throws MpiException `ERR_PORT` when a rank of either group cannot attach the memory
    Intercomm meet(
            Comm comm,
            String operation,
            int root,
            String address,
            String invitation,
            boolean invited,
            UnaryOperator<String> tell) {
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
            Spawn.RootResult told = Spawn.RootResult.share(
                    comm, operation, root, () -> Spawn.RootResult.of(Objects.requireNonNull(tell.apply(first))));
            String why = first.isEmpty() ? told.text() : first;
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
            first = !isLookedAfter;
            isLookedAfter = true;
        }
        if (first) mpi.progress("connect").add(this);
    }

    @Override
    public boolean look() {
        EngineCalls own = mpi.engineNow();
        List<Mpi> now;
        synchronized (this) {
            open.removeIf(Mpi::isClosed);
            if (open.isEmpty()) {
                isLookedAfter = false;
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
            // who calls it hears of it
        }
    }

    @Override
    public void tell() {
        // nobody asks
    }

    @Override
    public void fail(Throwable why) {
        // the Mpi is closed, and then closes these
    }

    /// Leaves all of them.
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
