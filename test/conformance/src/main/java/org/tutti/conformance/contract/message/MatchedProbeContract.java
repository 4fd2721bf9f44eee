package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Message;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// MPI 4.1, sections 3.8.2 and 3.8.3.
public final class MatchedProbeContract {
    private MatchedProbeContract() {}

    @Contract
    public static void onlyTheMatchedReceiveGetsTheMessage(Trial t) {
        for (int count : new int[] {0, 1, 33, 60_000}) {
            double[] out = new double[count];
            if (count > 0) out[count - 1] = t.rank();
            Request first = t.world().isend(buf(out), t.right(), 8);
            Request second = t.world().isend(buf(new double[] {-1 - t.rank()}), t.right(), 8);
            Message m = t.world().mprobe(Comm.ANY_SOURCE, Comm.ANY_TAG);
            Check.same(t.left(), m.status().source(), "source");
            Check.same(8, m.status().tag(), "tag");
            Check.same(8L * count, m.status().sizeBytes(), "sizeBytes");
            Check.same(count, m.status().count(Datatype.DOUBLE), "count of DOUBLE");
            // after the matched probe, the second message is next for probes and receives
            Check.same(8, t.world().probe(t.left(), 8).sizeBytes(), "length of the second message");
            double[] in = new double[1];
            t.world().recv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG);
            Check.that(in[0] == -1 - t.left(), "the receive got " + in[0]);
            double[] data = new double[count + 3];
            Status s = count == 33 ? m.irecv(buf(data)).await() : m.recv(buf(data));
            Check.same(count, s.count(), "count");
            Check.same(t.left(), s.source(), "source of the receive");
            Check.same(8, s.tag(), "tag of the receive");
            if (count > 0) Check.that(data[count - 1] == t.left(), "the message holds " + data[count - 1]);
            first.await();
            second.await();
        }
    }

    @Contract
    public static void lengthsThatAreNotWholeElements(Trial t) {
        Request send = t.world().isend(buf(new byte[12]), t.right(), 1);
        Status s = t.world().probe(t.left(), 1);
        Check.same(3, s.count(Datatype.INT), "count of INT");
        Check.same(12, s.count(), "count, in bytes");
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "Status.count: 12 bytes are not a whole number of DOUBLE, of 8 bytes each; elements(type) counts basic"
                        + " elements, sizeBytes() bytes",
                () -> s.count(Datatype.DOUBLE));
        t.world().recv(buf(new byte[12]), t.left(), 1);
        send.await();
    }

    @Contract
    public static void improbeReturnsNullWithoutAMessage(Trial t) {
        Check.that(
                t.world().improbe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null, "improbe returns a message before any send");
        t.world().barrier();
        Request send = t.world().isend(buf(new int[] {t.rank()}), t.right(), 3);
        Message m;
        do m = t.world().improbe(t.left(), 3);
        while (m == null);
        Check.that(
                t.world().improbe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null,
                "improbe returns a message that was matched before");
        Check.that(
                t.world().iprobe(Comm.ANY_SOURCE, Comm.ANY_TAG) == null,
                "iprobe returns a message that was matched before");
        int[] in = new int[1];
        m.recv(buf(in));
        Check.same(t.left(), in[0], "value");
        send.await();
        t.world().barrier();
    }

    @Contract
    public static void matchedMessageIsReceivedOnce(Trial t) {
        Request send = t.world().isend(buf(new int[1]), t.right(), 3);
        Message m = t.world().mprobe(t.left(), 3);
        int[] in = new int[1];
        String place = ": IN_PLACE is for collective operations; pass a buffer (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_BUFFER, "Message.recv" + place, () -> m.recv(org.tutti.mpi.Buf.IN_PLACE));
        m.recv(buf(in)); // the message is still available after the wrong argument
        String twice = ": this message was received before (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_REQUEST, "Message.recv" + twice, () -> m.recv(buf(in)));
        Check.rejects(ErrorClass.ERR_REQUEST, "Message.irecv" + twice, () -> m.irecv(buf(in)));
        send.await();
    }

    /// Requires two ranks for the reason given at [MessageErrorContract#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void tooLongForTheBuffer(Trial t) {
        for (int count : new int[] {2, 60_000}) {
            Request send = t.world().isend(buf(new int[count]), t.right(), 3);
            Message m = t.world().mprobe(t.left(), 3);
            MpiException e = Check.fails(ErrorClass.ERR_TRUNCATE, () -> m.recv(buf(new int[1])));
            Check.same("Message.recv", e.operation(), "operation");
            send.await();
        }
        t.world().barrier();
    }

    /// The standard permits a synchronous send to complete when a probe matches the message. In Tutti, the send
    /// waits for the receive.
    @Contract(engine = "shm")
    public static void matchedMessageIsNotYetReceived(Trial t) {
        for (int count : new int[] {0, 1, 60_000}) {
            Request send = t.world().issend(buf(new int[count]), t.right(), 3);
            Message m = t.world().mprobe(t.left(), 3);
            t.world().barrier();
            Check.that(!send.test(), "issend of " + count + " INT is complete before the matched message is received");
            t.world().barrier();
            m.recv(buf(new int[count]));
            send.await();
        }
    }
}
