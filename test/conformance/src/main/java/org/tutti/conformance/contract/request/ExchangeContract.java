package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.OptionalInt;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Message;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// A send and a receive in one request. MPI 4.1, section 3.10.
public final class ExchangeContract {
    private ExchangeContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            Box.Values expected = i -> row.value(t.left(), i);
            Box out = row.sendBox(t);
            Request r;
            Box in;
            if (row.inPlace()) {
                in = out;
                r = t.world().isendrecvReplace(out.buf(), t.right(), 3, t.left(), 3);
            } else {
                in = row.recvBox(t, row.count(), expected);
                r = t.world().isendrecv(out.buf(), t.right(), 3, in.buf(), t.left(), 3);
            }
            Status s = r.await();
            in.expect(expected, row + " from rank " + t.left());
            Check.same(row.count(), s.count(), "count of " + row);
            Check.same(t.left(), s.source(), "source of " + row);
        }
    }

    @Contract
    public static void shortFormsUseTagZeroAndAnyTag(Trial t) {
        int[] in = new int[2];
        Status s = t.world()
                .isendrecv(buf(new int[] {t.rank(), 5}), t.right(), buf(in), Comm.ANY_SOURCE)
                .await();
        Check.same(t.left(), s.source(), "source");
        Check.same(0, s.tag(), "tag");
        Check.same(t.left(), in[0], "value");
        int[] both = {t.rank(), 6};
        s = t.world().isendrecvReplace(buf(both), t.right(), t.left()).await();
        Check.same(0, s.tag(), "tag of replace");
        Check.same(t.left(), both[0], "value of replace");
    }

    /// The message remains available after the failed call and after the probe.
    @Contract(minRanks = 2)
    public static void closedMemoryDoesNotReceive(Trial t) {
        if (t.rank() > 1) return;
        int other = 1 - t.rank(), times = 3;
        for (int i = 0; i < times; i++) t.world().send(buf(new int[] {i}), other, 3);
        Buf closedMemory;
        try (Arena arena = Arena.ofShared()) {
            closedMemory = buf(arena.allocate(4, 4), Datatype.INT);
        }
        int[] in = new int[1];
        for (int i = 0; i < times; i++) {
            Message held = i < 2 ? null : t.world().mprobe(other, 3);
            boolean waits = i == 0;
            Check.fails(ErrorClass.ERR_BUFFER, () -> {
                if (held != null) held.recv(closedMemory);
                else if (waits) t.world().sendrecv(closedMemory, other, 3, buf(in), other, 3);
                else
                    t.world()
                            .isendrecv(closedMemory, other, 3, buf(in), other, 3)
                            .await();
            });
            if (held == null) t.world().recv(buf(in), other, 3);
            else held.recv(buf(in));
            Check.same(i, in[0], "the message that was there");
        }
    }

    /// The call sends the content of the buffer at the time of the call, although received data overwrites the
    /// buffer.
    @Contract
    public static void replaceSendsACopy(Trial t) {
        int many = 5;
        int[][] all = new int[many][20_000];
        try (Requests r = t.mpi().requests()) {
            for (int k = 0; k < many; k++) {
                Arrays.fill(all[k], 100 * t.rank() + k);
                r.add(t.world().isendrecvReplace(buf(all[k]), t.right(), k, t.left(), k));
            }
            r.awaitAll();
        }
        for (int k = 0; k < many; k++) {
            Check.same(100 * t.left() + k, all[k][19_999], "last value of exchange " + k);
        }
    }

    @Contract
    public static void shorterMessageLeavesTheRestUnchanged(Trial t) {
        int[] in = {1, 2, 3};
        Status s = t.world()
                .isendrecv(buf(new int[] {9}), t.right(), 1, buf(in), t.left(), 1)
                .await();
        Check.same(1, s.count(), "count");
        Check.that(Arrays.equals(in, new int[] {9, 2, 3}), "the buffer is " + Arrays.toString(in));
    }

    @Contract
    public static void withProcNull(Trial t) {
        int[] in = {7};
        Buf out = buf(new int[] {t.rank()});
        Status s = t.world()
                .isendrecv(out, Comm.PROC_NULL, 0, buf(in), Comm.PROC_NULL, 0)
                .await();
        Check.same(Comm.PROC_NULL, s.source(), "source of PROC_NULL");
        Check.same(7, in[0], "the buffer");
        boolean first = t.rank() == 0;
        boolean last = t.rank() == t.size() - 1;
        s = t.world()
                .isendrecv(out, last ? Comm.PROC_NULL : t.right(), 4, buf(in), first ? Comm.PROC_NULL : t.left(), 4)
                .await();
        Check.same(first ? Comm.PROC_NULL : t.left(), s.source(), "source in a line");
        Check.same(first ? 7 : t.left(), in[0], "value in a line");
        int[] both = {t.rank()};
        Request r = t.world()
                .isendrecvReplace(
                        buf(both), last ? Comm.PROC_NULL : t.right(), 4, first ? Comm.PROC_NULL : t.left(), 4);
        r.await();
        Check.same(first ? 0 : t.left(), both[0], "value replaced in a line");
    }

    /// Many short and long requests are pending. Every form of waiting returns each completion once.
    @Contract
    public static void amongRequestsOfEveryKind(Trial t) {
        for (int count : new int[] {1, 40_000}) {
            int many = 6;
            int[][] in = new int[many][count];
            boolean[] returned = new boolean[2 * many];
            try (Requests r = t.mpi().requests()) {
                for (int k = 0; k < many; k++) {
                    int[] out = new int[count];
                    Arrays.fill(out, t.rank() * 100 + k);
                    r.add(t.world().isendrecv(buf(out), t.right(), k, buf(in[k]), t.left(), k));
                    r.add(t.world().isendrecv(Buf.NONE, t.left(), many + k, Buf.NONE, t.right(), many + k));
                }
                for (int left = 2 * many; left > 0; left--) {
                    OptionalInt next = left % 2 == 0 ? r.awaitAny() : OptionalInt.empty();
                    while (next.isEmpty()) next = r.testAny();
                    int place = next.getAsInt();
                    Check.that(!returned[place], "request " + place + " is returned twice");
                    returned[place] = true;
                    Status s = r.get(place).await();
                    Check.same(place % 2 == 0 ? t.left() : t.right(), s.source(), "source of request " + place);
                }
                Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny without active requests");
            }
            for (int k = 0; k < many; k++) Check.same(100 * t.left() + k, in[k][count - 1], "value " + k);
        }
    }

    @Contract(minRanks = 2)
    public static void truncationFailsOnlyTheExchange(Trial t) {
        int[] in = new int[1];
        Request r = t.world().isendrecv(buf(new int[3]), t.right(), 2, buf(in), t.left(), 2);
        Check.fails(ErrorClass.ERR_TRUNCATE, r::await);
        MpiException again = Check.fails(ErrorClass.ERR_TRUNCATE, r::await);
        Check.that(again.operation().equals("isendrecv"), "the operation is " + again.operation());
        r = t.world().isendrecv(buf(new int[] {t.rank()}), t.right(), 2, buf(in), t.left(), 2);
        r.await();
        Check.same(t.left(), in[0], "value after the failure");
    }

    /// The text of a pending exchange describes the send and the receive, even if one of the two has completed
    /// and other requests have started since.
    @Contract
    public static void pendingExchangeNamesTheTwoHalves(Trial t) {
        int[] in = new int[1];
        Request r = t.world().isendrecv(buf(new int[2]), t.right(), 3, buf(in), t.left(), 4);
        t.world().recv(buf(new int[2]), t.left(), 3);
        t.world().barrier();
        Check.that(!r.test(), "it is complete before the send");
        Request[] later = new Request[3];
        for (int k = 0; k < 3; k++) later[k] = t.world().isend(buf(new int[1]), t.left(), 90 + k);
        Check.same(
                "isendrecv(2 INT, dest=" + t.right() + ", tag=3; 1 INT, source=" + t.left() + ", tag=4)",
                r.toString(),
                "the pending exchange");
        for (int k = 0; k < 3; k++) t.world().recv(buf(new int[1]), t.right(), 90 + k);
        for (Request other : later) other.await();
        Request last = t.world().isend(buf(new int[] {t.rank()}), t.right(), 4);
        r.await();
        last.await();
        Check.same(t.left(), in[0], "value");
    }

    @Contract
    public static void cannotBeCancelled(Trial t) {
        int[] in = new int[1];
        Request r = t.world().isendrecv(buf(new int[] {t.rank()}), t.right(), 2, buf(in), t.left(), 2);
        r.cancel();
        Check.that(!r.await().isCancelled(), "isCancelled() is true");
        Check.same(t.left(), in[0], "value");
    }

    @Contract
    public static void wrongArguments(Trial t) {
        Comm w = t.world();
        int n = t.size();
        Buf x = buf(new int[1]);
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + " (" + t.where() + ")";
        String tags = " is not in 0 to " + w.tagUpperBound() + " (" + t.where() + ")";
        String place = ": IN_PLACE is for collective operations; pass a buffer (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_RANK, "isendrecv: dest=" + n + ranks, () -> w.isendrecv(x, n, x, 0));
        Check.rejects(ErrorClass.ERR_RANK, "isendrecv: source=-7" + ranks, () -> w.isendrecv(x, 0, x, -7));
        Check.rejects(ErrorClass.ERR_TAG, "isendrecv: tag=-1" + tags, () -> w.isendrecv(x, 0, -1, x, 0, 0));
        Check.rejects(ErrorClass.ERR_TAG, "isendrecv: tag=-2" + tags, () -> w.isendrecv(x, 0, 0, x, 0, -2));
        Check.rejects(ErrorClass.ERR_BUFFER, "isendrecv" + place, () -> w.isendrecv(x, 0, Buf.IN_PLACE, 0));
        Check.rejects(ErrorClass.ERR_RANK, "isendrecvReplace: dest=" + n + ranks, () -> w.isendrecvReplace(x, n, 0));
        Check.rejects(ErrorClass.ERR_RANK, "isendrecvReplace: source=" + n + ranks, () -> w.isendrecvReplace(x, 0, n));
        Check.rejects(ErrorClass.ERR_BUFFER, "isendrecvReplace" + place, () -> w.isendrecvReplace(Buf.IN_PLACE, 0, 0));
    }
}
