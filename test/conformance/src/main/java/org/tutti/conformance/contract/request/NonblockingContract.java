package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Requests. MPI 4.1, sections 3.7 and 3.8.4.
public final class NonblockingContract {
    private NonblockingContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            Box out = row.sendBox(t);
            Box.Values expected = i -> row.value(t.left(), i);
            Box in = row.recvBox(t, row.count(), expected);
            Request first;
            Request second;
            if (row.inPlace()) { // in this test, whether the receive is started first
                first = t.world().irecv(in.buf(), t.left(), 3);
                second = t.world().isend(out.buf(), t.right(), 3);
            } else {
                first = t.world().isend(out.buf(), t.right(), 3);
                second = t.world().irecv(in.buf(), t.left(), 3);
            }
            second.await();
            first.await();
            Status s = (row.inPlace() ? first : second).await();
            in.expect(expected, row + " from rank " + t.left());
            Check.same(row.count(), s.count(), "count of " + row);
            Check.same(t.left(), s.source(), "source of " + row);
        }
    }

    @Contract
    public static void manyOutstandingInBothDirections(Trial t) {
        int many = 500;
        int[][] fromLeft = new int[many][2];
        int[][] fromRight = new int[many][2];
        try (Requests r = t.mpi().requests()) {
            for (int i = 0; i < many; i++) r.add(t.world().irecv(buf(fromLeft[i]), t.left(), i));
            for (int i = many - 1; i >= 0; i--) {
                r.add(t.world().isend(buf(new int[] {t.rank(), i}), t.right(), i));
                r.add(t.world().isend(buf(new int[] {t.rank(), -i}), t.left(), many + i));
            }
            for (int i = 0; i < many; i++) r.add(t.world().irecv(buf(fromRight[i]), t.right(), many + i));
            Check.same(4L * many, r.size(), "requests");
            List<Status> all = r.awaitAll();
            Check.same(4L * many, all.size(), "statuses");
            for (int i = 0; i < many; i++) {
                Check.same(t.left(), all.get(i).source(), "source of receive " + i);
                Check.same(i, all.get(i).tag(), "tag of receive " + i);
            }
        }
        for (int i = 0; i < many; i++) {
            Check.same(t.left(), fromLeft[i][0], "sender from the left");
            Check.same(i, fromLeft[i][1], "number from the left");
            Check.same(t.right(), fromRight[i][0], "sender from the right");
            Check.same(-i, fromRight[i][1], "number from the right");
        }
    }

    /// Each rank sends more data than any engine buffers before it receives.
    @Contract(slow = true)
    public static void longMessagesHeadToHead(Trial t) {
        for (int kib : new int[] {1024, 3000, 8192}) {
            if (t.size() > 3 && kib > 1024) continue;
            int count = kib * 128;
            long[] out = new long[count];
            for (int i = 0; i < count; i++) out[i] = (long) t.rank() << 32 | i;
            long[] in = new long[count];
            long[] other = new long[count];
            try (Requests r = t.mpi().requests()) {
                r.add(t.world().isend(buf(out), t.right(), 0));
                r.add(t.world().isend(buf(out), t.left(), 1));
                r.add(t.world().irecv(buf(in), t.left(), 0));
                r.add(t.world().irecv(buf(other), t.right(), 1));
                r.awaitAll();
            }
            for (int i = 0; i < count; i++) {
                if (in[i] != ((long) t.left() << 32 | i)) Check.same((long) t.left() << 32 | i, in[i], "from the left");
                if (other[i] != ((long) t.right() << 32 | i)) {
                    Check.same((long) t.right() << 32 | i, other[i], "from the right");
                }
            }
        }
    }

    @Contract
    public static void testTurnsTrueAndStaysTrue(Trial t) {
        for (int count : new int[] {1, 200_000}) {
            int[] out = new int[count];
            out[count - 1] = t.rank();
            int[] in = new int[count];
            Request receive = t.world().irecv(buf(in), t.left(), 0);
            Check.that(t.size() > 1 || !receive.test(), "a receive is complete before anything was sent");
            Request send = t.world().isend(buf(out), t.right(), 0);
            // test must complete a request without other calls; the two requests are tested alternately,
            // because each may depend on the other
            boolean done;
            do done = receive.test() & send.test();
            while (!done);
            Check.that(receive.test() && send.test(), "test is false after it was true");
            Check.same(t.left(), receive.await().source(), "source");
            Check.same(t.left(), in[count - 1], "value");
        }
    }

    /// A wait ends when the message arrives, which rank 0 sends 150 ms later.
    @Contract(minRanks = 2)
    public static void awaitsADelayedMessage(Trial t) throws InterruptedException {
        int[] in = new int[1];
        Request receive = t.world().irecv(buf(in), t.left(), 0);
        if (t.rank() == 0) {
            Thread.sleep(150);
            t.world().send(buf(new int[] {1}), t.right(), 0);
            receive.await();
        } else {
            receive.await();
            t.world().send(buf(new int[] {in[0] + 1}), t.right(), 0);
        }
        Check.same(t.rank() == 0 ? t.size() : t.rank(), in[0], "the count that went round");
    }

    @Contract
    public static void cancelsAnUnmatchedReceive(Trial t) {
        int[] in = {5};
        Request receive = t.world().irecv(buf(in), t.left(), 77);
        receive.cancel();
        Status s = receive.await();
        Check.that(s.isCancelled(), "isCancelled() is false");
        Check.same(5, in[0], "the buffer of a cancelled receive");
        Check.same("cancelled", s.toString(), "the status as a text");
        Check.same(0, s.count(), "the length of a cancelled receive");
        t.world().barrier();
        // the next receive gets the message that the cancelled receive would have matched
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().isend(buf(new int[] {t.rank()}), t.right(), 77));
            Status next = t.world().recv(buf(in), t.left(), 77);
            Check.same(t.left(), in[0], "the message after the cancelled receive");
            Check.that(!next.isCancelled(), "isCancelled() is true for a later receive");
            r.awaitAll();
        }
    }

    @Contract
    public static void doesNotCancelAMatchedReceive(Trial t) {
        int[] in = new int[1];
        Request send = t.world().isend(buf(new int[] {t.rank()}), t.right(), 1);
        while (t.world().iprobe(t.left(), 1) == null) Thread.onSpinWait();
        Request receive = t.world().irecv(buf(in), t.left(), 1);
        receive.cancel();
        send.cancel(); // cancelling a send has no effect
        Check.that(!receive.await().isCancelled(), "a matched receive was cancelled");
        Check.same(t.left(), in[0], "value");
        send.await();
    }

    @Contract
    public static void closeRejectsPendingRequests(Trial t) {
        int[] in = new int[1];
        Request[] kept = new Request[1];
        Check.rejects(
                ErrorClass.ERR_PENDING,
                "Requests.close: 1 of 1 requests is pending, the first: irecv(1 INT, source=" + t.left() + ", tag=5)",
                "; call awaitAll() before the end of the try block (" + t.where() + ")",
                () -> {
                    try (Requests r = t.mpi().requests()) {
                        kept[0] = r.add(t.world().irecv(buf(in), t.left(), 5));
                    }
                });
        kept[0].cancel();
        kept[0].await();
        t.world().barrier();
    }

    /// Requires two ranks for the reason given at
    /// [org.tutti.conformance.contract.message.MessageErrorContract#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void awaitAllThrowsTheFirstFailure(Trial t) {
        int[] small = new int[1];
        int[] in = new int[1];
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(buf(small), t.left(), 1));
            r.add(t.world().irecv(buf(in), t.left(), 2));
            r.add(t.world().isend(buf(new int[5]), t.right(), 1));
            r.add(t.world().isend(buf(new int[] {9}), t.right(), 2));
            Check.fails(ErrorClass.ERR_TRUNCATE, r::awaitAll);
            Check.same(9, in[0], "the message after the truncated message");
        }
        t.world().barrier();
    }

    /// Awaits single requests, in reverse order.
    @Contract
    public static void awaitsInAnyOrder(Trial t) {
        int n = t.size();
        int[][] in = new int[n][1];
        Request[] receives = new Request[n];
        Request[] sends = new Request[n];
        for (int r = 0; r < n; r++) receives[r] = t.world().irecv(buf(in[r]), r, Comm.ANY_TAG);
        for (int r = 0; r < n; r++) sends[r] = t.world().isend(buf(new int[] {t.rank() * 100 + r}), r, t.rank());
        for (int r = n - 1; r >= 0; r--) {
            Status s = receives[(r + t.rank()) % n].await();
            Check.same(s.source(), s.tag(), "tag");
        }
        for (Request s : sends) s.await();
        for (int r = 0; r < n; r++) Check.same(r * 100 + t.rank(), in[r][0], "from rank " + r);
    }
}
