package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Waits for any and for some of several requests, and status queries. MPI 4.1, sections 3.7.5 and 3.7.6.
public final class SomeRequestsContract {
    private SomeRequestsContract() {}

    /// A call that waits or tests, and returns the indexes of completed requests.
    private interface Next {
        int[] places(Requests r);
    }

    /// Checks that the calls return each completion once, with the status, and that no request remains.
    private static void returnsEachRequestOnce(Trial t, Next next) {
        for (int count : new int[] {1, 30_000}) {
            int n = t.size();
            int[][] in = new int[n][count];
            boolean[] returned = new boolean[2 * n];
            try (Requests r = t.mpi().requests()) {
                for (int i = 0; i < n; i++) r.add(t.world().irecv(buf(in[i]), i, 4));
                for (int i = 0; i < n; i++) {
                    int[] out = new int[count];
                    Arrays.fill(out, t.rank() * 10 + i);
                    r.add(t.world().isend(buf(out), i, 4));
                }
                int left = 2 * n;
                while (left > 0) {
                    Check.same(left, r.active(), "active requests");
                    for (int place : next.places(r)) {
                        Check.that(!returned[place], "request " + place + " is returned twice");
                        returned[place] = true;
                        left--;
                        Status s = r.get(place).await();
                        if (place >= n) continue;
                        Check.same(place, s.source(), "source of request " + place);
                        Check.same(place * 10 + t.rank(), in[place][count - 1], "value of request " + place);
                    }
                }
                Check.same(0, r.active(), "active requests at the end");
                Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny without active requests");
                Check.same(OptionalInt.empty(), r.testAny(), "testAny without active requests");
                Check.same(0, r.awaitSome().length, "awaitSome without active requests");
                Check.same(0, r.testSome().length, "testSome without active requests");
                Check.that(r.testAll(), "testAll without active requests");
                r.clear();
                Check.same(0, r.size(), "requests after clear");
            }
        }
        t.world().barrier();
    }

    @Contract
    public static void awaitAnyReturnsEachRequestOnce(Trial t) {
        returnsEachRequestOnce(t, r -> r.awaitAny().stream().toArray());
    }

    @Contract
    public static void testAnyReturnsEachRequestOnce(Trial t) {
        returnsEachRequestOnce(t, r -> r.testAny().stream().toArray());
    }

    @Contract
    public static void awaitSomeReturnsEachRequestOnce(Trial t) {
        returnsEachRequestOnce(t, r -> {
            int[] places = r.awaitSome();
            Check.that(places.length > 0, "awaitSome waits for none");
            return places;
        });
    }

    @Contract
    public static void testSomeReturnsEachRequestOnce(Trial t) {
        returnsEachRequestOnce(t, Requests::testSome);
    }

    @Contract
    public static void emptyCollectionHasNoRequestToAwait(Trial t) {
        try (Requests r = t.mpi().requests()) {
            Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny");
            Check.same(OptionalInt.empty(), r.testAny(), "testAny");
            Check.same(0, r.awaitSome().length, "awaitSome");
            Check.that(r.testAll(), "testAll");
            Check.same(0, r.awaitAll().size(), "awaitAll");
        }
    }

    /// The message that `awaitAny` waits for is sent after a delay; the first request of the set does not
    /// complete.
    @Contract(minRanks = 2)
    public static void awaitAnyWaitsForAMessage(Trial t) throws InterruptedException {
        int last = t.size() - 1;
        if (t.rank() == last) {
            t.world().barrier();
            Thread.sleep(150);
            for (int i = 0; i < last; i++) t.world().send(buf(new int[] {i}), i, 2);
            return;
        }
        int[] in = new int[1];
        try (Requests r = t.mpi().requests()) {
            Request never = r.add(t.world().irecv(buf(new int[1]), Comm.ANY_SOURCE, 1));
            r.add(t.world().irecv(buf(in), last, 2));
            Check.same(OptionalInt.empty(), r.testAny(), "testAny before anything was sent");
            Check.same(0, r.testSome().length, "testSome before anything was sent");
            t.world().barrier();
            Check.same(1, r.awaitAny().getAsInt(), "index of the received message");
            Check.same(t.rank(), in[0], "value");
            never.cancel();
            Check.same(0, r.awaitAny().getAsInt(), "index of the cancelled request");
            Check.that(never.await().isCancelled(), "isCancelled() is false");
        }
    }

    /// An inactive persistent request is skipped; an active request is returned once per start.
    @Contract
    public static void persistentRequestsCountWhileActive(Trial t) {
        int[] in = new int[1];
        int[] out = new int[1];
        try (PersistentRequest receive = t.world().recvInit(buf(in), t.left(), 2);
                PersistentRequest send = t.world().sendInit(buf(out), t.right(), 2);
                Requests r = t.mpi().requests(receive, send)) {
            Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny before a start");
            for (int round = 0; round < 5; round++) {
                out[0] = t.rank() + round;
                r.startAll();
                int sum = r.awaitAny().getAsInt() + r.awaitAny().getAsInt();
                Check.same(1, sum, "the two places");
                Check.same(t.left() + round, in[0], "value");
                Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny after all completions");
            }
        }
    }

    /// A request for `PROC_NULL` is complete immediately, and is returned like other requests.
    @Contract
    public static void procNullRequestsAreReturned(Trial t) {
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(buf(new int[1]), Comm.PROC_NULL));
            r.add(t.world().isend(buf(new int[1]), Comm.PROC_NULL));
            Check.same(0, r.testAny().getAsInt(), "the first");
            Check.same(Comm.PROC_NULL, r.get(0).await().source(), "source");
            Check.same(1, r.awaitSome()[0], "the second");
            Check.same(OptionalInt.empty(), r.awaitAny(), "a third");
        }
    }

    /// Waits for completion with `getStatus`, which does not return the completion.
    private static void awaitUntold(Request request) {
        boolean complete = false;
        while (!complete) {
            try {
                complete = request.getStatus() != null;
            } catch (MpiException e) {
                complete = true;
            }
        }
    }

    /// The call that returns a failed request throws the failure and does not affect other requests. Requires
    /// two ranks for the reason given at
    /// [org.tutti.conformance.contract.message.MessageErrorContract#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void failureBelongsToOneRequest(Trial t) {
        int[] good = new int[1];
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(buf(new int[1]), t.left(), 1));
            r.add(t.world().irecv(buf(good), t.left(), 2));
            r.add(t.world().irecv(buf(new int[1]), t.left(), 3));
            t.world().barrier();
            for (int tag = 1; tag <= 3; tag++) t.world().send(buf(new int[tag == 2 ? 1 : 5]), t.right(), tag);
            for (int place = 0; place < 3; place++) awaitUntold(r.get(place));
            Check.same(3, r.active(), "active requests after getStatus");
            Check.fails(ErrorClass.ERR_TRUNCATE, r::awaitAny);
            Check.same(2, r.active(), "active requests after one failure");
            Check.fails(ErrorClass.ERR_TRUNCATE, r::awaitSome);
            int[] rest = r.awaitSome();
            Check.same(1, rest.length, "ends that are left");
            Check.same(1, rest[0], "the good one");
            Check.same(OptionalInt.empty(), r.awaitAny(), "awaitAny after all completions");
            // the request throws the failure again on each call
            Check.fails(ErrorClass.ERR_TRUNCATE, () -> r.get(0).await());
            Check.same(1, r.get(1).await().count(), "count of the good one");
        }
        t.world().barrier();
    }

    /// Requires two ranks for the reason given at
    /// [org.tutti.conformance.contract.message.MessageErrorContract#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void testAllReportsOnlyFullCompletion(Trial t) {
        int[] in = new int[1];
        try (Requests r = t.mpi().requests()) {
            r.add(t.world().irecv(buf(new int[1]), t.left(), 1));
            r.add(t.world().irecv(buf(in), t.left(), 2));
            t.world().send(buf(new int[5]), t.right(), 1);
            awaitUntold(r.get(0));
            Check.that(!r.testAll(), "testAll is true before the second was sent");
            Check.same(2, r.active(), "active requests");
            t.world().barrier();
            t.world().send(buf(new int[] {7}), t.right(), 2);
            Check.fails(ErrorClass.ERR_TRUNCATE, () -> {
                while (!r.testAll()) Thread.onSpinWait();
            });
            Check.same(7, in[0], "value");
            Check.same(0, r.active(), "active requests after all completions");
        }
        t.world().barrier();
    }

    @Contract
    public static void getStatusDoesNotConsumeCompletion(Trial t) {
        int[] in = new int[3];
        try (Requests r = t.mpi().requests()) {
            Request receive = r.add(t.world().irecv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG));
            Check.that(receive.getStatus() == null, "a receive is complete before anything was sent");
            t.world().barrier();
            t.world().send(buf(new int[] {4, 5}), t.right(), 11);
            Status s;
            do s = receive.getStatus();
            while (s == null);
            Check.same(t.left(), s.source(), "source");
            Check.same(11, s.tag(), "tag");
            Check.same(2, s.count(), "count");
            Check.same(5, in[1], "value");
            Check.same(0, r.awaitAny().getAsInt(), "index of the request read by getStatus");
        }
        t.world().barrier();
    }

    @Contract
    public static void getStatusOfSeveralDoesNotConsumeCompletions(Trial t) {
        int[] first = new int[1], second = new int[1];
        try (Requests r = t.mpi().requests()) {
            Check.same(OptionalInt.empty(), r.getStatusAny(), "getStatusAny without requests");
            r.add(t.world().irecv(buf(first), t.left(), 1));
            r.add(t.world().irecv(buf(second), t.left(), 2));
            Check.that(r.getStatusAll() == null, "getStatusAll before the first send");
            Check.same(OptionalInt.empty(), r.getStatusAny(), "getStatusAny before anything was sent");
            Check.same(0, r.getStatusSome().length, "getStatusSome before anything was sent");
            t.world().barrier();
            t.world().send(buf(new int[] {t.rank()}), t.right(), 2);
            while (r.getStatusAny().isEmpty()) Thread.onSpinWait();
            Check.same(1, r.getStatusAny().getAsInt(), "index of the first completed request");
            Check.that(r.getStatusAll() == null, "getStatusAll after one send");
            Check.that(Arrays.equals(new int[] {1}, r.getStatusSome()), "getStatusSome after one was sent");
            t.world().barrier();
            t.world().send(buf(new int[] {t.rank()}), t.right(), 1);
            List<Status> all = r.getStatusAll();
            for (; all == null; all = r.getStatusAll()) Thread.onSpinWait();
            Check.same(2, all.get(1).tag(), "tag of the second");
            Check.same(2, r.active(), "active requests after the statuses were read");
            Check.same(2, r.testSome().length, "requests returned by testSome");
        }
        Check.same(t.left(), first[0], "value of the first");
        t.world().barrier();
    }

    @Contract
    public static void pendingRequestsAreNotForgotten(Trial t) {
        int[] in = new int[1];
        try (Requests r = t.mpi().requests()) {
            Request receive = r.add(t.world().irecv(buf(in), t.left(), 5));
            Check.rejects(
                    ErrorClass.ERR_PENDING,
                    "Requests.clear: 1 of 1 requests is pending, the first: irecv(1 INT, source=" + t.left()
                            + ", tag=5)",
                    "; call awaitAll() first (" + t.where() + ")",
                    r::clear);
            Check.same(1, r.size(), "requests after a clear that failed");
            receive.cancel();
            r.awaitAll();
        }
        t.world().barrier();
    }
}
