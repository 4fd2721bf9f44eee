package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.SplitType;
import org.tutti.mpi.Window;

/// Threads create objects of different communicators in an order that differs between ranks. A call waits only
/// for calls on the same communicator: MPI 4.1, sections 6.14 and 11.6.
public final class CreationOrderContract {
    private static final int TAG = 7;

    private CreationOrderContract() {}

    /// Creates an object on the communicator, uses it and frees it.
    private interface Creation {
        void on(Comm comm) throws Exception;
    }

    private static final List<Creation> CREATIONS = List.of(
            c -> works(c.dup()),
            c -> works(c.idup().awaitComm()),
            c -> works(c.split(0)),
            c -> works(c.splitType(SplitType.SHARED)),
            c -> works(c.createGroup(c.group(), 1)),
            c -> c.allreduceInit(buf(new int[1]), buf(new int[1]), Op.SUM).close(),
            c -> Window.allocate(c, 8, 8).close());

    private static void works(OwnedComm made) {
        try (made) {
            Check.same(made.size(), made.allreduce(1, Op.SUM), "sum");
        }
    }

    /// Rank 0 creates two objects at the same time. The other ranks create the first object only after rank 0
    /// has created the second.
    @Contract(minRanks = 2)
    public static void ranksCreateInDifferentOrders(Trial t) throws InterruptedException {
        try (OwnedComm first = t.world().dup();
                OwnedComm second = t.world().dup()) {
            Creation dup = CREATIONS.getFirst();
            for (Creation other : CREATIONS) {
                creates(t, dup, first, other, second);
                creates(t, other, first, dup, second);
            }
        }
    }

    private static void creates(Trial t, Creation a, Comm first, Creation b, Comm second) throws InterruptedException {
        ThreadsContract.inThreads(2, Thread.ofPlatform().factory(), thread -> {
            if (thread == 0) {
                if (t.rank() != 0) t.world().recv(buf(new int[1]), 0, TAG);
                a.on(first);
            } else {
                b.on(second);
                for (int r = 1; t.rank() == 0 && r < t.size(); r++) t.world().send(buf(new int[1]), r, TAG);
            }
        });
    }
}
