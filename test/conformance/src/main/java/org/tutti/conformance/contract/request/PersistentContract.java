package org.tutti.conformance.contract.request;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Persistent messages. MPI 4.1, section 3.9.
public final class PersistentContract {
    private PersistentContract() {}

    /// The receiver uses rows of a matrix, which requires a copy.
    @Contract
    public static void everyStartSendsCurrentData(Trial t) {
        for (int count : new int[] {1, 500, 40_000}) {
            double[] out = new double[count];
            double[][] in = {new double[count / 2], new double[count - count / 2]};
            try (PersistentRequest receive = t.world().recvInit(buf(in), t.left(), 6);
                    PersistentRequest send = t.world().sendInit(buf(out), t.right(), 6)) {
                for (int round = 0; round < 8; round++) {
                    Arrays.fill(out, t.rank() * 100 + round);
                    if (round % 2 == 0) t.mpi().requests(receive, send).startAll();
                    else t.mpi().requests(send, receive).startAll();
                    if (round % 3 == 0) while (!receive.test()) Thread.onSpinWait();
                    Status s = receive.await();
                    send.await();
                    Check.same(count, s.count(), "count of round " + round);
                    Check.same(t.left(), s.source(), "source of round " + round);
                    Check.that(
                            in[1][in[1].length - 1] == t.left() * 100 + round,
                            "the last value of round " + round + " is " + in[1][in[1].length - 1]);
                }
            }
        }
    }

    @Contract
    public static void inactiveIsCompleteAndEmpty(Trial t) {
        try (PersistentRequest receive = t.world().recvInit(buf(new int[1]), Comm.ANY_SOURCE, Comm.ANY_TAG)) {
            Check.that(receive.test(), "a request that was never started is not complete");
            Status s = receive.await();
            Check.same(Comm.ANY_SOURCE, s.source(), "source of the empty status");
            Check.same(Comm.ANY_TAG, s.tag(), "tag of the empty status");
            Check.same(0, s.count(), "count of the empty status");
            Check.that(!s.isCancelled(), "the empty status is that of a cancelled request");
        }
    }

    @Contract
    public static void startsOnlyInactiveRequests(Trial t) {
        String end = " (" + t.where() + ")";
        int[] in = new int[1];
        PersistentRequest receive = t.world().recvInit(buf(in), t.left(), 2);
        PersistentRequest other = t.world().recvInit(buf(new int[1]), t.left(), 3);
        receive.start();
        String active = "recvInit: the request is already active; await it before the next start" + end;
        Check.rejects(ErrorClass.ERR_REQUEST, active, receive::start);
        Check.rejects(
                ErrorClass.ERR_REQUEST,
                active,
                () -> t.mpi().requests(other, receive).startAll());
        Check.that(
                other.await().source() == Comm.ANY_SOURCE,
                "startAll started a request before it rejected an active request");
        Request plain = t.world().irecv(buf(new int[1]), Comm.PROC_NULL);
        Check.rejects(
                ErrorClass.ERR_REQUEST,
                "Requests.startAll: the request at index 1, complete, is not persistent; create it with an …Init"
                        + " method"
                        + end,
                () -> t.mpi().requests(other, plain).startAll());
        Check.that(
                other.await().source() == Comm.ANY_SOURCE,
                "startAll started a request before it rejected a nonpersistent request");
        Check.rejects(
                ErrorClass.ERR_PENDING,
                "recvInit: the request is active; await it before close" + end,
                () -> receive.close());
        t.world().barrier(); // no rank sends before all ranks have checked
        t.world().send(buf(new int[] {t.rank()}), t.right(), 2);
        receive.await();
        Check.same(t.left(), in[0], "value");
        String next = Check.nextLine();
        receive.close();
        receive.close(); // a second close has no effect
        String closed = "recvInit: the request was closed at " + next + end;
        Check.rejects(ErrorClass.ERR_REQUEST, closed, receive::start);
        other.close();
    }

    @Contract
    public static void restartAfterCancel(Trial t) {
        int[] in = {5};
        try (PersistentRequest receive = t.world().recvInit(buf(in), Comm.ANY_SOURCE, 9)) {
            for (int round = 0; round < 3; round++) {
                receive.start();
                receive.cancel();
                Check.that(receive.await().isCancelled(), "isCancelled() is false");
                t.world().barrier();
                receive.start();
                t.world().send(buf(new int[] {t.rank() + round}), t.right(), 9);
                Status s = receive.await();
                Check.that(!s.isCancelled(), "isCancelled() is true");
                Check.same(t.left(), s.source(), "source");
                Check.same(t.left() + round, in[0], "value");
                t.world().barrier();
            }
        }
    }

    /// Requires two ranks for the reason given at
    /// [org.tutti.conformance.contract.message.MessageErrorContract#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void restartAfterAFailure(Trial t) {
        int[] in = new int[1];
        try (PersistentRequest receive = t.world().recvInit(buf(in), t.left(), 9)) {
            receive.start();
            t.world().send(buf(new int[2]), t.right(), 9);
            Check.fails(ErrorClass.ERR_TRUNCATE, receive::await);
            receive.start();
            t.world().send(buf(new int[] {t.rank()}), t.right(), 9);
            Check.same(1, receive.await().count(), "count");
            Check.same(t.left(), in[0], "value");
        }
    }

    @Contract
    public static void statusOfMessagesThatAreCompleteImmediately(Trial t) {
        Comm c = t.world();
        Buf data = buf(new int[3]);
        checkStart(Comm.ANY_SOURCE, c.bsendInit(data, Comm.PROC_NULL, 4));
        checkStart(Comm.ANY_SOURCE, c.sendInit(data, Comm.PROC_NULL, 4));
        checkStart(Comm.ANY_SOURCE, c.psendInit(data, 3, Comm.PROC_NULL, 4));
        checkStart(Comm.PROC_NULL, c.recvInit(data, Comm.PROC_NULL, 4));
        checkStart(Comm.PROC_NULL, c.recvInit(Buf.NONE, Comm.PROC_NULL, 4));
        checkStart(Comm.PROC_NULL, c.precvInit(data, 1, Comm.PROC_NULL, 4));
        checkStart(Comm.ANY_SOURCE, c.bsendInit(data, t.right(), 4));
        c.recv(buf(new int[3]), t.left(), 4);
    }

    private static void checkStart(int source, PersistentRequest request) {
        request.start();
        if (request instanceof PartitionedSend send) send.preadyRange(0, send.partitions() - 1);
        Status s = request.await();
        Check.same(source, s.source(), "source of " + request);
        Check.same(Comm.ANY_TAG, s.tag(), "tag of " + request);
        Check.same(0, s.count(), "count of " + request);
        request.close();
    }

    @Contract
    public static void onAClosedCommunicator(Trial t) {
        var dup = t.world().dup();
        PersistentRequest send = dup.sendInit(buf(new int[1]), t.right(), 0);
        PersistentRequest receive = dup.recvInit(buf(new int[1]), t.left(), 0);
        PartitionedSend parts = dup.psendInit(buf(new int[2]), 2, t.right(), 0);
        PartitionedReceive ofParts = dup.precvInit(buf(new int[2]), 1, t.left(), 0);
        String next = Check.nextLine();
        dup.close();
        String end = ": the communicator " + dup.name() + " was closed at " + next + " (rank " + t.rank() + " of "
                + t.size() + ", " + dup.name() + ")";
        Check.rejects(ErrorClass.ERR_COMM, "sendInit" + end, send::start);
        Check.rejects(ErrorClass.ERR_COMM, "recvInit" + end, receive::start);
        Check.rejects(ErrorClass.ERR_COMM, "psendInit" + end, parts::start);
        Check.rejects(ErrorClass.ERR_COMM, "precvInit" + end, ofParts::start);
        parts.close();
        ofParts.close();
        send.close();
        receive.close();
    }
}
