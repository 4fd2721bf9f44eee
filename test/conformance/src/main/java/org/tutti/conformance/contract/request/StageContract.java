package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Status;

/// Requests as stages of asynchronous computations, which complete without a waiting thread.
public final class StageContract {
    private StageContract() {}

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(300, TimeUnit.SECONDS);
    }

    @Contract
    public static void messagesOfEveryLength(Trial t) throws Exception {
        for (int count : new int[] {0, 1, 3_000, 200_000}) {
            int[] in = new int[count];
            int[] out = new int[count];
            if (count > 0) out[count - 1] = t.rank();
            CompletableFuture<Long> received = t.world()
                    .irecv(buf(in), t.left(), 4)
                    .toStage()
                    .thenApply(s -> s.count() * 10 + s.tag())
                    .toCompletableFuture();
            CompletableFuture<Status> sent =
                    t.world().isend(buf(out), t.right(), 4).toStage().toCompletableFuture();
            Check.same(10L * count + 4, (long) get(received), "length and tag of the status");
            get(sent);
            if (count > 0) Check.same(t.left(), in[count - 1], "last value");
        }
    }

    /// A dependent action of a stage may call any method that does not wait.
    @Contract
    public static void stageStartsTheNextOperation(Trial t) throws Exception {
        int[] in = new int[1];
        CompletableFuture<Status> end = t.world()
                .irecv(buf(in), t.left(), 5)
                .toStage()
                .thenCompose(_ ->
                        t.world().isend(buf(new int[] {in[0] + 1}), t.left(), 6).toStage())
                .toCompletableFuture();
        int[] back = new int[1];
        t.world().send(buf(new int[] {10 * t.rank()}), t.size() == 1 ? Comm.PROC_NULL : t.right(), 5);
        if (t.size() == 1) t.world().isend(buf(new int[] {0}), 0, 5);
        t.world().recv(buf(back), t.right(), 6);
        Check.same(10 * t.rank() + 1, back[0], "the answer");
        get(end);
    }

    @Contract
    public static void manyConcurrentStages(Trial t) throws Exception {
        int many = 300;
        int[][] in = new int[many][1];
        List<CompletableFuture<Status>> all = new ArrayList<>();
        for (int k = 0; k < many; k++) {
            all.add(t.world().irecv(buf(in[k]), t.left(), k).toStage().toCompletableFuture());
        }
        for (int k = many - 1; k >= 0; k--) {
            all.add(t.world()
                    .isend(buf(new int[] {k + t.rank()}), t.right(), k)
                    .toStage()
                    .toCompletableFuture());
        }
        get(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
        for (int k = 0; k < many; k++) Check.same(k + t.left(), in[k][0], "value " + k);
    }

    @Contract
    public static void collectiveCallsAndExchanges(Trial t) throws Exception {
        int[] sum = {t.rank() + 1};
        int[] both = {t.rank()};
        CompletableFuture<Status> reduced =
                t.world().iallreduce(Buf.IN_PLACE, buf(sum), Op.SUM).toStage().toCompletableFuture();
        CompletableFuture<Status> exchanged = t.world()
                .isendrecvReplace(buf(both), t.right(), t.left())
                .toStage()
                .toCompletableFuture();
        get(reduced);
        Check.same(t.left(), get(exchanged).source(), "source of the exchange");
        Check.same(t.size() * (t.size() + 1) / 2, sum[0], "sum");
        Check.same(t.left(), both[0], "value of the exchange");
    }

    @Contract
    public static void objects(Trial t) throws Exception {
        ObjectRequest<String> r = t.world().irecvObject(String.class, t.left(), 2);
        CompletableFuture<String> text =
                r.toObjectStage().thenApply(s -> s + "!").toCompletableFuture();
        CompletableFuture<Status> sent = t.world()
                .isendObject("from " + t.rank(), t.right(), 2)
                .toStage()
                .toCompletableFuture();
        Check.same("from " + t.left() + "!", get(text), "the object");
        get(sent);
    }

    @Contract
    public static void completedRequests(Trial t) throws Exception {
        Status s = get(t.world().irecv(Buf.NONE, Comm.PROC_NULL).toStage().toCompletableFuture());
        Check.same(Comm.PROC_NULL, s.source(), "source of PROC_NULL");
        Request receive = t.world().irecv(buf(new int[1]), t.left(), 1);
        t.world().isend(buf(new int[1]), t.right(), 1).await();
        receive.await();
        Check.same(t.left(), get(receive.toStage().toCompletableFuture()).source(), "source after await");
    }

    /// A program may also wait for a request with a stage, separately or in a set.
    @Contract
    public static void requestsWithStagesMayBeAwaited(Trial t) throws Exception {
        for (int round = 0; round < 20; round++) {
            int[][] in = new int[4][1];
            try (Requests r = t.mpi().requests()) {
                List<CompletableFuture<Status>> stages = new ArrayList<>();
                for (int k = 0; k < 4; k++) {
                    Request one = r.add(t.world().irecv(buf(in[k]), t.left(), k));
                    stages.add(one.toStage().toCompletableFuture());
                }
                for (int k = 0; k < 4; k++)
                    t.world().isend(buf(new int[] {t.rank() + k}), t.right(), k).await();
                r.get(3).await();
                int completions = 0;
                while (r.awaitAny().isPresent()) completions++;
                Check.same(3, completions, "completions after one request was awaited");
                for (int k = 0; k < 4; k++) {
                    Check.same(k, get(stages.get(k)).tag(), "tag of stage " + k);
                    Check.same(t.left() + k, in[k][0], "value " + k);
                }
            }
        }
    }

    /// Each stage represents one round, even if the next round starts immediately.
    @Contract
    public static void persistentRequestHasOneStagePerRound(Trial t) throws Exception {
        int rounds = 200;
        int[] in = new int[1];
        List<CompletableFuture<Status>> stages = new ArrayList<>();
        try (PersistentRequest receive = t.world().recvInit(buf(in), t.left(), Comm.ANY_TAG)) {
            for (int k = 0; k < rounds; k++) {
                receive.start();
                stages.add(receive.toStage().toCompletableFuture());
                Request sent = t.world().isend(buf(new int[] {k}), t.right(), k);
                Check.same(k, receive.await().tag(), "tag of round " + k);
                Check.same(k, in[0], "value of round " + k);
                sent.await();
            }
            for (int k = 0; k < rounds; k++) Check.same(k, get(stages.get(k)).tag(), "tag of stage " + k);
        }
    }

    @Contract(minRanks = 2)
    public static void stageReportsTheFailure(Trial t) throws Exception {
        CompletableFuture<Status> stage =
                t.world().irecv(buf(new int[1]), t.left(), 3).toStage().toCompletableFuture();
        t.world().send(buf(new int[2]), t.right(), 3);
        try {
            get(stage);
            throw new AssertionError("the stage of a truncated message has not failed");
        } catch (ExecutionException e) {
            Check.that(
                    e.getCause() instanceof MpiException why && why.errorClass() == ErrorClass.ERR_TRUNCATE,
                    "it failed with " + e.getCause());
        }
    }

    @Contract
    public static void cancelledReceive(Trial t) throws Exception {
        Request r = t.world().irecv(buf(new int[1]), t.left(), 77);
        CompletableFuture<Status> stage = r.toStage().toCompletableFuture();
        r.cancel();
        Check.that(get(stage).isCancelled(), "isCancelled() is false");
        t.world().barrier();
    }
}
