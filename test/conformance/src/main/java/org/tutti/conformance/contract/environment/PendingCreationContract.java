package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Port;
import org.tutti.mpi.Request;
import org.tutti.mpi.Window;

/// Every kind of object is created and freed while the calling thread must not block in a library, because a
/// receive of an object is pending, a collective call runs as a schedule, or the thread is virtual.
public final class PendingCreationContract {
    private PendingCreationContract() {}

    /// Creates one object, uses it with all ranks and frees it.
    private interface Creation {
        void run(Trial t) throws Exception;
    }

    private record Kind(String name, Creation creation) {}

    private static final List<Kind> KINDS = List.of(
            new Kind("dup", t -> works(t.world().dup())),
            new Kind("idup", t -> works(t.world().idup().awaitComm())),
            new Kind("split", t -> works(t.world().split(0))),
            new Kind("createGroup", t -> works(t.world().createGroup(t.world().group(), 1))),
            new Kind(
                    "createFromGroup",
                    t -> works(t.mpi().createFromGroup(t.world().group(), "pending"))),
            new Kind("cartesian", t -> works(t.world().cartesian(new int[] {t.size()}, new boolean[] {true}))),
            new Kind("intercomm", PendingCreationContract::intercomm),
            new Kind("Window.allocate", t -> works(t, Window.allocate(t.world(), 8, 8))),
            new Kind("Window.shared", t -> works(t, Window.shared(t.world(), 8, 8))),
            new Kind("Window.dynamic", PendingCreationContract::dynamic),
            new Kind("Window.of", t -> works(t, Window.of(t.world(), buf(new long[1]), 8))),
            new Kind("MpiFile.open", PendingCreationContract::file),
            new Kind("allreduceInit", PendingCreationContract::persistent),
            new Kind("Port.open", t -> Port.open(t.mpi()).close()));

    private static void works(OwnedComm made) {
        try (made) {
            Check.same(made.size(), made.allreduce(1, Op.SUM), "sum");
        }
    }

    private static void intercomm(Trial t) {
        if (t.size() < 2) return;
        int side = t.rank() % 2;
        try (OwnedComm half = t.world().split(side);
                Intercomm both = half.intercomm(0, t.world(), 1 - side, 4)) {
            Check.same(both.remoteSize(), both.allreduce(1, Op.SUM), "sum of the remote group");
        }
    }

    private static void works(Trial t, Window window) {
        try (window) {
            long[] in = new long[1];
            window.fence();
            window.put(buf(new long[] {t.rank()}), t.right(), 0);
            window.fence();
            window.get(buf(in), t.rank(), 0);
            window.fence();
            Check.same(t.left(), in[0], "value in the window");
        }
    }

    /// Open MPI does not support dynamic windows.
    private static void dynamic(Trial t) {
        if (t.mpi().engineDescription().contains("Open MPI")) return;
        Window.dynamic(t.world()).close();
    }

    private static void file(Trial t) throws Exception {
        Path made = t.rank() == 0 ? Files.createTempFile("tutti", "pending") : null;
        String path =
                Objects.requireNonNull(t.world().bcastObject(String.class, made == null ? null : made.toString(), 0));
        try (MpiFile file = MpiFile.open(t.world(), path, MpiFile.Mode.RDWR)) {
            file.writeAtAll(t.rank(), buf(new byte[] {(byte) t.rank()}));
            Check.same(t.size(), file.size(), "size");
        }
        t.world().barrier();
        if (made != null) Files.delete(made);
    }

    private static void persistent(Trial t) {
        int[] sum = {1};
        try (PersistentRequest r = t.world().allreduceInit(Buf.IN_PLACE, buf(sum), Op.SUM)) {
            r.start();
            r.await();
        }
        Check.same(t.size(), sum[0], "sum");
    }

    private static void all(Trial t, String pending) throws Exception {
        for (Kind kind : KINDS) {
            try {
                kind.creation.run(t);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(kind.name + " while " + pending + ": " + e, e);
            }
            t.world().barrier();
        }
    }

    @Contract(slow = true)
    public static void whileAnObjectIsPending(Trial t) throws Exception {
        ObjectRequest<Integer> object = t.world().irecvObject(Integer.class, t.left(), 6);
        all(t, "an object is awaited");
        t.world().sendObject(t.rank(), t.right(), 6);
        Check.same(Integer.valueOf(t.left()), object.awaitObject(), "object");
    }

    /// Nonblocking duplications are mixed with other nonblocking calls on one communicator, and awaited in
    /// different orders.
    @Contract
    public static void copiesAmongNonblockingCalls(Trial t) {
        int me = t.rank(), n = t.size();
        for (int round = 0; round < 10; round++) {
            int[] one = {me}, sum = {0}, in = {0};
            try (OwnedComm comm = t.world().dup()) {
                Request reduced = comm.iallreduce(buf(one), buf(sum), Op.SUM);
                var first = comm.idup();
                var second = comm.idup();
                Request sent = comm.isend(buf(one), t.right(), 0);
                Request barrier = comm.ibarrier();
                var third = comm.idup();
                comm.recv(buf(in), t.left(), 0);
                if (me % 2 == 0) {
                    reduced.await();
                    barrier.await();
                    works(third.awaitComm());
                    works(first.awaitComm());
                } else {
                    OwnedComm copy = first.awaitComm();
                    OwnedComm other = third.awaitComm();
                    barrier.await();
                    reduced.await();
                    works(other);
                    works(copy);
                }
                sent.await();
                works(second.awaitComm());
            }
            Check.same(n * (n - 1) / 2, sum[0], "sum");
            Check.same(t.left(), in[0], "message");
        }
    }

    /// The last rank starts the neighborhood call only at the end.
    @Contract(slow = true)
    public static void whileANeighborhoodCallIsPending(Trial t) throws Exception {
        int[] out = {t.rank()}, in = new int[2];
        try (var ring = t.world().cartesian(new int[] {t.size()}, new boolean[] {true})) {
            boolean late = t.rank() == t.size() - 1;
            Request early = late ? null : ring.ineighborAllgather(buf(out), buf(in));
            all(t, "a neighborhood call is pending");
            (early == null ? ring.ineighborAllgather(buf(out), buf(in)) : early).await();
            Check.same(t.left(), in[0], "value of the left neighbor");
            Check.same(t.right(), in[1], "value of the right neighbor");
        }
    }

    @Contract(slow = true)
    public static void inAVirtualThread(Trial t) throws InterruptedException {
        ThreadsContract.inThreads(1, Thread.ofVirtual().factory(), i -> all(t, "the thread is virtual"));
    }

    /// Two threads create communicators on separate parents while each awaits an object.
    @Contract(minRanks = 2, slow = true)
    public static void communicatorsInTwoThreads(Trial t) throws InterruptedException {
        List<OwnedComm> comms = List.of(t.world().dup(), t.world().dup());
        ThreadsContract.inThreads(2, Thread.ofPlatform().factory(), i -> {
            Comm comm = comms.get(i);
            ObjectRequest<Integer> object = comm.irecvObject(Integer.class, t.left(), 6);
            for (int round = 0; round < 5; round++) {
                works(comm.dup());
                works(comm.split(0));
            }
            comm.sendObject(t.rank(), t.right(), 6);
            Check.same(Integer.valueOf(t.left()), object.awaitObject(), "object");
        });
        comms.forEach(OwnedComm::close);
    }
}
