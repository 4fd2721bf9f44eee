package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Requests that represent work of the program.
public final class GeneralizedContract {
    private GeneralizedContract() {}

    private static CompletableFuture<Status> later(Status status) {
        return CompletableFuture.supplyAsync(
                () -> status, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS));
    }

    @Contract
    public static void awaitWaitsForTheProgram(Trial t) {
        Request r = t.mpi()
                .request(later(Status.of(3, Datatype.DOUBLE).withSource(7).withTag(-9)));
        Status s = r.await();
        Check.same(3, s.count(), "count");
        Check.same(24, s.sizeBytes(), "bytes");
        Check.same(7, s.source(), "source");
        Check.same(-9, s.tag(), "tag");
        Check.that(!s.isCancelled(), "not cancelled");
        Check.same(s, r.await(), "status from a second await");
    }

    @Contract
    public static void testReportsCompletion(Trial t) {
        CompletableFuture<Status> work = new CompletableFuture<>();
        Request r = t.mpi().request(work);
        Check.that(!r.test(), "not complete yet");
        Check.same(null, r.getStatus(), "status of an incomplete request");
        work.complete(null);
        Check.that(r.test(), "complete");
        Check.same(0, r.await().sizeBytes(), "bytes of a missing status");
    }

    /// Generalized requests and messages complete in any order.
    @Contract
    public static void amongMessages(Trial t) {
        int[] in = new int[1];
        Request own = t.mpi().request(later(Status.of(1, Datatype.INT)));
        Request receive = t.world().irecv(buf(in), t.left(), 2);
        Requests both = t.mpi().requests(own, receive);
        Check.same(0, both.awaitAny().getAsInt(), "index of the completed request");
        t.world().barrier();
        t.world().send(buf(new int[] {t.rank()}), t.size() == 1 ? Comm.PROC_NULL : t.right(), 2);
        if (t.size() == 1) t.world().isend(buf(new int[] {0}), 0, 2);
        Check.same(1, both.awaitAny().getAsInt(), "the second");
        Check.same(OptionalInt.empty(), both.awaitAny(), "no more");
        Check.same(t.left(), in[0], "the message");

        Request slow = t.mpi().request(later(Status.empty()));
        Request exchange = t.world().isendrecvReplace(buf(in), t.right(), t.left());
        t.mpi().requests(slow, exchange).awaitAll();
        t.world().barrier();
    }

    /// A rank that waits for a future of the program makes progress for messages.
    @Contract
    public static void messagesProgressDuringAWait(Trial t) {
        int[] big = new int[300_000], into = new int[300_000];
        big[big.length - 1] = t.rank();
        Request out = t.world().isend(buf(big), t.right(), 3);
        Request in = t.world().irecv(buf(into), t.left(), 3);
        CompletionStage<Status> both = in.toStage().thenCombine(out.toStage(), (received, _) -> received);
        Status s = t.mpi().request(both).await();
        Check.same(300_000, s.count(), "count of the message");
        Check.same(t.left(), into[into.length - 1], "last value");
    }

    @Contract
    public static void asAStage(Trial t) throws Exception {
        Request r = t.mpi().request(later(Status.of(5, Datatype.BYTE)));
        long bytes =
                r.toStage().thenApply(Status::sizeBytes).toCompletableFuture().get(300, TimeUnit.SECONDS);
        Check.same(5, bytes, "bytes");
    }

    @Contract
    public static void failuresAreThoseOfTheProgram(Trial t) {
        IllegalArgumentException why = new IllegalArgumentException("of the program");
        Request r = t.mpi().request(CompletableFuture.failedFuture(why));
        Check.same(why, thrownBy(r), "exception of the future");
        Check.same(why, thrownBy(r), "the same again");
        Throwable wrapped = thrownBy(t.mpi().request(CompletableFuture.failedFuture(new IOException("no answer"))));
        Check.that(wrapped instanceof CompletionException, "checked ones as a CompletionException: " + wrapped);
        Check.that(wrapped.getCause() instanceof IOException, "cause: " + wrapped.getCause());
        Throwable ofMpi = thrownBy(t.mpi().request(CompletableFuture.supplyAsync(() -> Status.of(-1, Datatype.INT))));
        Check.same(ErrorClass.ERR_COUNT, ((MpiException) ofMpi).errorClass(), "class");
    }

    private static Throwable thrownBy(Request r) {
        try {
            r.await();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("await has not thrown");
    }

    @Contract
    public static void cancelCallsTheProgram(Trial t) {
        CompletableFuture<Status> work = new CompletableFuture<>();
        int[] asked = {0};
        Request r = t.mpi().request(work, () -> {
            asked[0]++;
            work.complete(Status.ofCancelled());
        });
        r.cancel();
        Check.that(r.await().isCancelled(), "cancelled");
        r.cancel();
        Check.same(1, asked[0], "calls of the cancel action");

        CompletableFuture<Status> dropped = new CompletableFuture<>();
        Request second = t.mpi().request(dropped, () -> dropped.cancel(true));
        second.cancel();
        Check.that(second.await().isCancelled(), "a cancelled future does not cancel the request");

        CompletableFuture<Status> derived = new CompletableFuture<>();
        Request third = t.mpi().request(derived.thenApply(s -> s), () -> derived.cancel(false));
        third.cancel();
        Check.that(third.await().isCancelled(), "a cancelled source does not cancel the derived request");

        Request deaf = t.mpi().request(later(Status.of(2, Datatype.INT)));
        deaf.cancel();
        Check.same(2, deaf.await().count(), "count of a request without a cancel action");
    }

    @Contract
    @SuppressWarnings("NullAway") // programs without null checks may pass null
    public static void arguments(Trial t) {
        CompletionStage<Status> work = CompletableFuture.completedFuture(Status.empty());
        String end = " (rank " + t.rank() + " of " + t.size() + ", WORLD)";
        Check.rejects(
                ErrorClass.ERR_ARG, "request: work is null" + end, () -> t.mpi().request(null));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "request: onCancel is null" + end,
                () -> t.mpi().request(work, null));
        String most = ", of 4 bytes each, is negative or exceeds 2^63 - 1 bytes";
        Check.rejects(ErrorClass.ERR_COUNT, "Status.of: count=-1 of INT" + most, () -> Status.of(-1, Datatype.INT));
        long many = Long.MAX_VALUE / 4 + 1;
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "Status.of: count=" + many + " of INT" + most,
                () -> Status.of(many, Datatype.INT));
        Check.same(Long.MAX_VALUE, Status.of(Long.MAX_VALUE, Datatype.BYTE).sizeBytes(), "bytes");
    }
}
