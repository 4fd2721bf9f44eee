package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.Message;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Window;

/// Every kind of blocking call in a virtual thread of each rank. MPI 4.1, section 11.6.
public final class VirtualThreadContract {
    private VirtualThreadContract() {}

    private interface Body {
        void run() throws Exception;
    }

    private static void inAVirtualThread(Body body) throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.startVirtualThread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        thread.join();
        Throwable why = failure.get();
        if (why != null) throw new AssertionError("in a virtual thread: " + why, why);
    }

    @Contract
    public static void messagesOfEveryKind(Trial t) throws InterruptedException {
        Comm world = t.world();
        inAVirtualThread(() -> {
            int[] out = {t.rank()}, in = new int[1];
            world.sendrecv(buf(out), t.right(), 1, buf(in), t.left(), 1);
            Check.same(t.left(), in[0], "sendrecv");
            Request sent = world.issend(buf(out), t.right(), 2);
            Check.same(t.left(), world.probe(t.left(), 2).source(), "probe");
            Message found = world.mprobe(t.left(), 2);
            found.recv(buf(in));
            sent.await();
            Request received = world.irecv(buf(in), t.left(), 3);
            world.ssend(buf(out), t.right(), 3);
            received.await();
            try (Requests all =
                    t.mpi().requests(world.irecv(buf(in), t.left(), 4), world.isend(buf(out), t.right(), 4))) {
                while (all.active() > 0) all.awaitSome();
            }
            Check.same(
                    "x" + t.left(), world.sendrecvObject("x" + t.rank(), t.right(), String.class, t.left()), "object");
            try (PersistentRequest r = world.recvInit(buf(in), t.left(), 5);
                    PersistentRequest s = world.sendInit(buf(out), t.right(), 5)) {
                r.start();
                s.start();
                s.await();
                Check.same(t.left(), r.await().source(), "persistent");
            }
            int[] parts = new int[2];
            try (PartitionedReceive r = world.precvInit(buf(parts), 2, t.left(), 6);
                    PartitionedSend s = world.psendInit(buf(new int[] {t.rank(), 9}), 2, t.right(), 6)) {
                r.start();
                s.start();
                s.preadyRange(0, 1);
                s.await();
                r.await();
                Check.same(t.left(), parts[0], "partition");
            }
        });
    }

    @Contract
    public static void collectiveCallsOfEveryForm(Trial t) throws InterruptedException {
        Comm world = t.world();
        int n = t.size();
        inAVirtualThread(() -> {
            world.barrier();
            Check.same(n, world.allreduce(1, Op.SUM), "scalar");
            int[] all = new int[n];
            world.allgather(buf(new int[] {t.rank()}), buf(all));
            for (int r = 0; r < n; r++) Check.same(r, all[r], "allgather");
            int[] sum = {1};
            world.iallreduce(Buf.IN_PLACE, buf(sum), Op.SUM).await();
            Check.same(n, sum[0], "iallreduce");
            try (PersistentRequest r = world.bcastInit(buf(sum), 0)) {
                r.start();
                r.await();
            }
            Buf[] sends = new Buf[n], receives = new Buf[n];
            int[] from = new int[n];
            for (int r = 0; r < n; r++) {
                sends[r] = buf(new int[] {10 * t.rank() + r});
                receives[r] = buf(from, r, 1);
            }
            world.alltoallw(sends, receives);
            for (int r = 0; r < n; r++) Check.same(10 * r + t.rank(), from[r], "alltoallw");
            Check.same(n, world.allgatherObject("x").size(), "objects");
            try (Cartesian ring = world.cartesian(new int[] {n}, new boolean[] {true})) {
                int[] neighbors = new int[2];
                ring.neighborAllgather(buf(new int[] {t.rank()}), buf(neighbors));
                Check.same(t.left(), neighbors[0], "left neighbor");
                Check.same(t.right(), neighbors[1], "right neighbor");
            }
        });
    }

    @Contract
    public static void communicatorsAndWindows(Trial t) throws InterruptedException {
        Comm world = t.world();
        inAVirtualThread(() -> {
            CommRequest<? extends OwnedComm> pending = world.idup();
            try (OwnedComm part = world.split(0, -t.rank());
                    OwnedComm group = world.createGroup(world.group());
                    OwnedComm dup = pending.awaitComm()) {
                Check.same(t.size() - 1 - t.rank(), part.rank(), "rank");
                group.barrier();
                dup.barrier();
            }
            try (Window w = Window.allocate(world, 8, 8)) {
                w.fence();
                w.put(buf(new long[] {t.rank()}), t.right(), 0);
                w.fence();
                long[] got = new long[1];
                w.lock(t.rank());
                w.get(buf(got), t.rank(), 0);
                w.unlock(t.rank());
                Check.same(t.left(), got[0], "put");
                w.post(world.group());
                w.start(world.group());
                w.complete();
                w.await();
                w.free();
            }
        });
    }
}
