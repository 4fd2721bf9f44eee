package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Partitioned messages. MPI 4.1, chapter 4.
public final class PartitionedContract {
    private PartitionedContract() {}

    private static int value(int rank, int round, int i) {
        return 1_000_003 * rank + 7919 * round + i;
    }

    /// Partitions become ready in any order, in several rounds, and sender and receiver use different numbers
    /// of partitions.
    @Contract
    public static void divisionsMayDiffer(Trial t) {
        for (int count : new int[] {0, 60, 60_000}) {
            for (int[] parts : new int[][] {{1, 1}, {4, 4}, {6, 4}, {4, 6}, {1, 60}, {60, 1}, {5, 3}}) {
                int[] out = new int[count];
                int[] in = new int[count];
                try (PartitionedSend send = t.world().psendInit(buf(out), parts[0], t.right(), 3);
                        PartitionedReceive receive = t.world().precvInit(buf(in), parts[1], t.left(), 3)) {
                    for (int round = 0; round < 3; round++) {
                        for (int i = 0; i < count; i++) out[i] = value(t.rank(), round, i);
                        if (round % 2 == 0) t.mpi().requests(receive, send).startAll();
                        else t.mpi().requests(send, receive).startAll();
                        for (int k = 0; k < parts[0]; k++) send.pready((k * 7 + round) % parts[0]);
                        Status s = receive.await();
                        send.await();
                        Check.same(count, s.count(), "count");
                        Check.same(t.left(), s.source(), "source");
                        Check.same(3, s.tag(), "tag");
                        String element = "round " + round + ", element ";
                        for (int i = 0; i < count; i++) Check.same(value(t.left(), round, i), in[i], element, i);
                    }
                }
            }
        }
    }

    /// A partition arrives while others are not ready. The sender then waits for a message from the receiver.
    @Contract
    public static void readyPartitionIsSent(Trial t) {
        int parts = 4;
        for (int each : new int[] {1, 50_000}) {
            int[] out = new int[parts * each];
            int[] in = new int[parts * each];
            try (PartitionedSend send = t.world().psendInit(buf(out), parts, t.right(), 5);
                    PartitionedReceive receive = t.world().precvInit(buf(in), parts, t.left(), 5)) {
                for (int round = 0; round < 2; round++) {
                    Check.that(receive.parrived(0), "parrived is false for an inactive request");
                    receive.start();
                    send.start();
                    for (int k = parts - 1; k >= 0; k--) {
                        Arrays.fill(out, k * each, (k + 1) * each, value(t.rank(), round, k));
                        if (k > 0) Check.that(!receive.parrived(k - 1), "a partition arrived before pready");
                        send.pready(k);
                        while (!receive.parrived(k)) Thread.onSpinWait();
                        Check.same(value(t.left(), round, k), in[(k + 1) * each - 1], "last value of part " + k);
                        // no rank continues before the left and the right neighbor have checked the partition
                        t.world().sendrecv(Buf.NONE, t.left(), Buf.NONE, t.right());
                        t.world().sendrecv(Buf.NONE, t.right(), Buf.NONE, t.left());
                    }
                    receive.await();
                    send.await();
                }
            }
        }
    }

    /// All partitions are sent while the receiver waits for a different message, which the sender sends only
    /// after the partitioned send is complete.
    @Contract(minRanks = 2)
    public static void partitionsArriveDuringAnotherReceive(Trial t) {
        int[] out = new int[300_000];
        int[] in = new int[300_000];
        Arrays.fill(out, t.rank());
        try (PartitionedSend send = t.world().psendInit(buf(out), 3, t.right(), 5);
                PartitionedReceive receive = t.world().precvInit(buf(in), 2, t.left(), 5)) {
            int[] word = new int[1];
            receive.start();
            if (t.rank() > 0) {
                t.world().recv(buf(word), t.left(), 6);
            }
            send.start();
            send.preadyRange(0, 2);
            send.await();
            t.world().send(buf(word), t.right(), 6);
            if (t.rank() == 0) t.world().recv(buf(word), t.left(), 6);
            receive.await();
            Check.same(t.left(), in[299_999], "last value");
        }
    }

    /// The n-th `psendInit` matches the n-th `precvInit` with the same tag, regardless of the order of starts,
    /// and other messages do not match.
    @Contract
    public static void initCallsMatchInOrder(Trial t) {
        int many = 4;
        int[][] in = new int[many][2];
        int[] plain = new int[2];
        PartitionedSend[] sends = new PartitionedSend[many];
        PartitionedReceive[] receives = new PartitionedReceive[many];
        int[][] out = new int[many][];
        for (int k = 0; k < many; k++) {
            out[k] = new int[] {value(t.rank(), k, 0), value(t.rank(), k, 1)};
            // tags 0 and 1 alternately; the receiver's calls use the tags in a different order
            sends[k] = t.world().psendInit(buf(out[k]), 1 + k % 2, t.right(), k % 2);
        }
        int[] order = {1, 3, 0, 2};
        for (int k : order) receives[k] = t.world().precvInit(buf(in[k]), 2, t.left(), k % 2);
        for (int round = 0; round < 2; round++) {
            var other = t.world().irecv(buf(plain), t.left(), 0);
            for (int k = many - 1; k >= 0; k--) sends[k].start();
            for (int k = many - 1; k >= 0; k--) sends[k].preadyRange(0, k % 2);
            t.world().send(buf(new int[] {1, 2}), t.rank() == t.right() ? Comm.PROC_NULL : t.right(), 0);
            for (PartitionedReceive r : receives) r.start();
            for (int k = 0; k < many; k++) {
                receives[k].await();
                sends[k].await();
                Check.same(value(t.left(), k, 0), in[k][0], "first value of pair " + k);
                Check.same(value(t.left(), k, 1), in[k][1], "second value of pair " + k);
                Arrays.fill(in[k], -1);
            }
            if (t.size() == 1) other.cancel();
            other.await();
        }
        for (PartitionedSend s : sends) s.close();
        for (PartitionedReceive r : receives) r.close();
    }

    @Contract
    public static void threadsMarkAndTestPartitions(Trial t) throws InterruptedException {
        int threads = 4;
        int each = 20;
        int count = threads * each * 100;
        int[] out = new int[count];
        int[] in = new int[count];
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (PartitionedSend send = t.world().psendInit(buf(out), threads * each, t.right(), 8);
                PartitionedReceive receive = t.world().precvInit(buf(in), threads * each, t.left(), 8)) {
            for (int round = 0; round < 3; round++) {
                int now = round;
                receive.start();
                send.start();
                Thread[] all = new Thread[2 * threads];
                for (int i = 0; i < 2 * threads; i++) {
                    int index = i;
                    all[i] = Thread.ofVirtual().start(() -> {
                        try {
                            for (int k = index % threads * each; k < (index % threads + 1) * each; k++) {
                                if (index < threads) {
                                    Arrays.fill(out, k * 100, (k + 1) * 100, value(t.rank(), now, k));
                                    send.pready(k);
                                } else {
                                    // a virtual thread that only yields may starve other threads
                                    while (!receive.parrived(k)) LockSupport.parkNanos(50_000);
                                    Check.same(value(t.left(), now, k), in[k * 100 + 99], "value of part " + k);
                                }
                            }
                        } catch (Throwable e) {
                            failure.compareAndSet(null, e);
                        }
                    });
                }
                receive.await();
                send.await();
                for (Thread one : all) one.join();
                Throwable why = failure.get();
                if (why != null) throw new AssertionError("a thread failed: " + why, why);
            }
        }
    }

    @Contract
    public static void amongOtherRequests(Trial t) {
        int[] out = {1, 2, 3, 4};
        int[] in = new int[4];
        int[] plain = new int[1];
        try (PartitionedSend send = t.world().psendInit(buf(out), 2, t.right(), 1);
                PartitionedReceive receive = t.world().precvInit(buf(in), 2, t.left(), 1);
                Requests r = t.mpi().requests()) {
            for (int round = 0; round < 3; round++) {
                r.add(receive).start();
                r.add(send).start();
                r.add(t.world().irecv(buf(plain), t.left(), 9));
                r.add(t.world().isend(buf(new int[1]), t.right(), 9));
                Check.that(!r.testAll(), "all are complete although no partition is ready");
                send.preadyList(1, 0);
                boolean[] returned = new boolean[4];
                for (int k = 0; k < 4; k++) returned[r.awaitAny().getAsInt()] = true;
                for (boolean one : returned) Check.that(one, "a completion was not returned");
                Check.that(Arrays.equals(in, out), "received " + Arrays.toString(in));
                Arrays.fill(in, 0);
                r.clear();
            }
        }
    }

    /// `awaitAny` returns the receive of a message while no partition is ready: the message may determine the
    /// data of the partitions.
    @Contract
    public static void awaitAnyFindsRequestsBeforePartitions(Trial t) {
        int[] out = {1, 2};
        int[] in = new int[2];
        int[] plain = new int[1];
        try (PartitionedSend send = t.world().psendInit(buf(out), 2, t.right(), 1);
                PartitionedReceive receive = t.world().precvInit(buf(in), 2, t.left(), 1);
                Requests r = t.mpi().requests()) {
            for (int round = 0; round < 2; round++) {
                r.add(send).start();
                r.add(receive).start();
                r.add(t.world().irecv(buf(plain), t.left(), 9));
                Request other = t.world().isend(buf(new int[1]), t.right(), 9);
                Check.same(2, r.awaitAny().getAsInt(), "index of the only request that can complete");
                t.world().barrier();
                send.preadyRange(0, 1);
                boolean[] returned = new boolean[2];
                for (int k = 0; k < 2; k++) returned[r.awaitAny().getAsInt()] = true;
                Check.that(returned[0] && returned[1], "a completion was not returned");
                other.await();
                Check.that(Arrays.equals(in, out), "received " + Arrays.toString(in));
                Arrays.fill(in, 0);
                r.clear();
            }
        }
    }

    @Contract
    public static void cannotBeCancelled(Trial t) {
        int[] in = new int[4];
        try (PartitionedSend send = t.world().psendInit(buf(new int[] {1, 2, 3, t.rank()}), 2, t.right(), 1);
                PartitionedReceive receive = t.world().precvInit(buf(in), 2, t.left(), 1)) {
            for (int round = 0; round < 2; round++) {
                Arrays.fill(in, 0);
                receive.start();
                send.start();
                receive.cancel();
                send.cancel();
                send.preadyRange(0, 1);
                send.await();
                Check.that(!receive.await().isCancelled(), "a message in parts was cancelled");
                Check.that(Arrays.equals(new int[] {1, 2, 3, t.left()}, in), "received " + Arrays.toString(in));
            }
        }
    }

    /// The sender uses a type of two numbers, the receiver single numbers.
    @Contract
    public static void derivedTypesWithoutGaps(Trial t) {
        Datatype pair = Datatype.DOUBLE.contiguous(2);
        double[] out = new double[12];
        double[] in = new double[12];
        for (int i = 0; i < 12; i++) out[i] = value(t.rank(), 0, i);
        try (PartitionedSend send = t.world().psendInit(buf(out, 0, 6, pair), 3, t.right(), 2);
                PartitionedReceive receive = t.world().precvInit(buf(in), 4, t.left(), 2)) {
            for (int round = 0; round < 2; round++) {
                t.mpi().requests(send, receive).startAll();
                send.preadyList(2, 0, 1);
                Check.same(12L, receive.await().count(), "numbers");
                send.await();
                for (int i = 0; i < 12; i++) Check.that(in[i] == value(t.left(), 0, i), "element " + i);
                Arrays.fill(in, 0);
            }
        }
    }

    /// The bytes between the elements do not change. Columns of the sender are received as rows, with different
    /// partitions.
    @Contract
    public static void derivedTypesWithGaps(Trial t) {
        int rows = 12, columns = 5;
        for (int each : new int[] {1, 400}) {
            Datatype column =
                    Datatype.INT.vector(rows, each, (long) columns * each).resized(0, each * 4L);
            int[] out = new int[rows * columns * each], in = new int[out.length];
            for (int[] parts : new int[][] {{1, 4}, {4, 1}, {2, 4}, {4, 2}}) {
                try (PartitionedSend send =
                                t.world().psendInit(buf(out, 0, columns - 1, column), parts[0], t.right(), 2);
                        PartitionedReceive receive =
                                t.world().precvInit(buf(in, each, columns - 1, column), parts[1], t.left(), 2)) {
                    for (int round = 0; round < 2; round++) {
                        for (int i = 0; i < out.length; i++) out[i] = value(t.rank(), round, i);
                        Arrays.fill(in, -1);
                        t.mpi().requests(send, receive).startAll();
                        for (int k = parts[0] - 1; k >= 0; k--) send.pready(k);
                        receive.await();
                        send.await();
                        for (int i = 0; i < in.length; i++) {
                            boolean isBetween = i / each % columns == 0;
                            Check.same(isBetween ? -1 : value(t.left(), round, i - each), in[i], "element " + i);
                        }
                    }
                }
            }
        }
    }

    @Contract
    public static void textsNameUnreadyPartitions(Trial t) {
        try (PartitionedSend send = t.world().psendInit(buf(new int[12]), 12, t.right(), 1);
                PartitionedReceive receive = t.world().precvInit(buf(new int[12]), 1, t.left(), 1)) {
            t.mpi().requests(send, receive).startAll();
            String before = "psendInit(12 INT in 12 partitions, dest=" + t.right() + ", tag=1, ";
            Check.same(
                    before + "partitions 0, 1, 2, 3, 4, 5, 6, 7 and 4 more not ready)", send.toString(), "none ready");
            send.preadyRange(1, 10);
            Check.same(before + "partitions 0, 11 not ready)", send.toString(), "two not ready");
            send.pready(0);
            Check.same(before + "partition 11 not ready)", send.toString(), "one not ready");
            send.pready(11);
            Check.same(
                    "precvInit(12 INT in 1 partitions, source=" + t.left() + ", tag=1)",
                    receive.toString(),
                    "the receive");
            receive.await();
            send.await();
        }
    }

    @Contract
    public static void withProcNull(Trial t) {
        try (PartitionedSend send = t.world().psendInit(buf(new int[4]), 2, Comm.PROC_NULL, 1);
                PartitionedReceive receive = t.world().precvInit(buf(new int[4]), 4, Comm.PROC_NULL, 1)) {
            for (int round = 0; round < 2; round++) {
                receive.start();
                send.start();
                send.preadyRange(0, 1);
                Check.that(receive.parrived(3), "parrived is false for PROC_NULL");
                Check.same(Comm.PROC_NULL, receive.await().source(), "source");
                send.await();
            }
        }
    }

    @Contract
    public static void wrongArguments(Trial t) {
        Comm w = t.world();
        int n = t.size();
        Buf x = buf(new int[6]);
        String end = " (" + t.where() + ")";
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + end;
        Check.rejects(ErrorClass.ERR_RANK, "psendInit: dest=" + n + ranks, () -> w.psendInit(x, 2, n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "precvInit: source=-9" + ranks, () -> w.precvInit(x, 2, -9, 0));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "precvInit: source=ANY_SOURCE is not possible for a partitioned receive; pass a rank" + end,
                () -> w.precvInit(x, 2, Comm.ANY_SOURCE, 0));
        String tags = " is not in 0 to " + w.tagUpperBound() + end;
        Check.rejects(ErrorClass.ERR_TAG, "psendInit: tag=-3" + tags, () -> w.psendInit(x, 2, 0, -3));
        Check.rejects(ErrorClass.ERR_TAG, "precvInit: tag=-1" + tags, () -> w.precvInit(x, 2, 0, Comm.ANY_TAG));
        Check.rejects(
                ErrorClass.ERR_ARG, "psendInit: partitions=0 is not positive" + end, () -> w.psendInit(x, 0, 0, 0));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "precvInit: the buffer's 6 elements are not a multiple of partitions=4" + end,
                () -> w.precvInit(x, 4, 0, 0));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "psendInit: a boolean[], a matrix, pairs and device memory are copied and cannot be sent in parts; use one"
                        + " array or segment of numbers" + end,
                () -> w.psendInit(buf(new int[2][2]), 2, 0, 0));
    }

    @Contract
    public static void partitionsOutOfTurn(Trial t) {
        String end = " (" + t.where() + ")";
        int[] in = new int[3];
        try (PartitionedSend send = t.world().psendInit(buf(new int[] {t.rank(), 1, 2}), 3, t.right(), 0);
                PartitionedReceive receive = t.world().precvInit(buf(in), 1, t.left(), 0)) {
            String inactive = "pready: partition=1 of a request that is not active; start it first" + end;
            Check.rejects(ErrorClass.ERR_REQUEST, inactive, () -> send.pready(1));
            for (int round = 0; round < 2; round++) {
                send.start();
                receive.start();
                Check.rejects(
                        ErrorClass.ERR_REQUEST,
                        "psendInit: the request is already active; await it before the next start" + end,
                        send::start);
                Check.rejects(ErrorClass.ERR_ARG, "pready: partition=3 is not in 0 to 2" + end, () -> send.pready(3));
                Check.rejects(
                        ErrorClass.ERR_ARG,
                        "preadyList: partition=-1 is not in 0 to 2" + end,
                        () -> send.preadyList(0, -1));
                Check.rejects(
                        ErrorClass.ERR_ARG,
                        "preadyRange: first=2 is greater than last=1" + end,
                        () -> send.preadyRange(2, 1));
                Check.rejects(
                        ErrorClass.ERR_ARG, "parrived: partition=1 is not in 0 to 0" + end, () -> receive.parrived(1));
                send.pready(1);
                String twice = "pready: partition=1 was already marked ready since the request was started" + end;
                Check.rejects(ErrorClass.ERR_REQUEST, twice, () -> send.pready(1));
                send.preadyList(2, 0);
                Check.rejects(ErrorClass.ERR_REQUEST, twice, () -> send.pready(1));
                send.await();
                receive.await();
                Check.rejects(ErrorClass.ERR_REQUEST, inactive, () -> send.pready(1));
                Check.same(t.left(), in[0], "value");
            }
        }
    }
}
