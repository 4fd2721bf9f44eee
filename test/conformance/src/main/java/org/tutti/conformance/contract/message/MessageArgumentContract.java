package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.ClosedComm;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.MessageCall;
import org.tutti.conformance.trial.MessageCall.Side;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.OwnedComm;

/// Wrong arguments of sends, receives and probes: the rank that passed the argument reports it before data is
/// sent. Every operation has the same error text.
public final class MessageArgumentContract {
    private MessageArgumentContract() {}

    private static final List<MessageCall> CALLS = MessageCall.all();

    @Contract
    public static void invalidRanks(Trial t) {
        int n = t.size();
        Buf x = buf(new int[1]);
        String ranks = " is not a rank of WORLD, which has ranks 0 to " + (n - 1) + " (" + t.where() + ")";
        for (MessageCall m : CALLS) {
            String label = m.operation() + (m.side().sends() ? ": dest=" : ": source=");
            for (int rank :
                    new int[] {n, Integer.MAX_VALUE, m.side().sends() ? Comm.ANY_SOURCE : -3, Integer.MIN_VALUE}) {
                Check.rejects(ErrorClass.ERR_RANK, label + rank + ranks, () -> m.call(t.world(), x, rank, 0));
            }
        }
    }

    @Contract
    public static void tagsOutOfRange(Trial t) {
        Comm w = t.world();
        Buf x = buf(new int[1]);
        int most = w.tagUpperBound();
        String bounds = " is not in 0 to " + most + " (" + t.where() + ")";
        for (MessageCall m : CALLS) {
            int wrong = m.side().sends() ? Comm.ANY_TAG : -2;
            for (int peer : new int[] {0, Comm.PROC_NULL}) {
                Check.rejects(
                        ErrorClass.ERR_TAG, m.operation() + ": tag=" + wrong + bounds, () -> m.call(w, x, peer, wrong));
            }
            if (most == Integer.MAX_VALUE) continue;
            Check.rejects(
                    ErrorClass.ERR_TAG,
                    m.operation() + ": tag=" + (most + 1) + bounds,
                    () -> m.call(w, x, 0, most + 1));
        }
    }

    /// Passes null as the buffer, which compilers without nullness checks accept.
    @Contract
    @SuppressWarnings("NullAway") // null is the case under test
    public static void nullBuffers(Trial t) {
        String text = ": buf is null; pass Buf.NONE for no data (" + t.where() + ")";
        Comm w = t.world();
        Check.rejects(ErrorClass.ERR_BUFFER, "send" + text, () -> w.send(null, 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "irecv" + text, () -> w.irecv(null, 0));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: op is null (" + t.where() + ")",
                () -> w.allreduce(buf(new int[1]), buf(new int[1]), null));
    }

    @Contract
    public static void oneBufferForBothDirections(Trial t) {
        int[] x = new int[4];
        Comm w = t.world();
        String text = ": send and recv overlap in memory; pass two buffers, or use sendrecvReplace (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_BUFFER, "sendrecv" + text, () -> w.sendrecv(buf(x), 0, buf(x), 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "isendrecv" + text, () -> w.isendrecv(buf(x, 0, 2), 0, buf(x, 1, 2), 0));
    }

    @Contract
    public static void placeholdersInsteadOfBuffers(Trial t) {
        String text = ": IN_PLACE is for collective operations; pass a buffer (" + t.where() + ")";
        for (MessageCall m : CALLS) {
            if (!m.side().hasBuffer()) continue;
            Check.rejects(ErrorClass.ERR_BUFFER, m.operation() + text, () -> m.call(t.world(), Buf.IN_PLACE, 0, 0));
        }
    }

    @Contract
    public static void readOnlyReceiveBuffers(Trial t) {
        Comm w = t.world();
        String text = ": the receive buffer is read-only (" + t.where() + ")";
        Buf segment = buf(MemorySegment.ofArray(new byte[8]).asReadOnly());
        Buf nio = buf(ByteBuffer.allocate(8).asReadOnlyBuffer());
        for (MessageCall m : CALLS) {
            if (m.side() != Side.RECEIVES_DATA) continue;
            Check.rejects(ErrorClass.ERR_BUFFER, m.operation() + text, () -> m.call(w, segment, 0, 0));
            Check.rejects(ErrorClass.ERR_BUFFER, m.operation() + text, () -> m.call(w, nio, 0, 0));
        }
        // a send from read-only memory is allowed
        byte[] in = new byte[8];
        w.sendrecv(segment, t.right(), buf(in), t.left());
        w.sendrecv(nio, t.right(), buf(in), t.left());
    }

    @Contract
    public static void closedCommunicators(Trial t) {
        ClosedComm closed = ClosedComm.of(t);
        for (MessageCall m : CALLS) {
            Check.rejects(
                    ErrorClass.ERR_COMM,
                    m.operation() + closed.rejection(),
                    () -> m.call(closed.comm(), buf(new int[1]), 0, 0));
        }
    }

    @Contract
    public static void communicatorsWithoutRanks(Trial t) {
        String text = ": this rank passed UNDEFINED to split and is not in any part (" + t.where() + ")";
        try (OwnedComm none = t.world().split(Comm.UNDEFINED)) {
            for (MessageCall m : CALLS) {
                Check.rejects(ErrorClass.ERR_COMM, m.operation() + text, () -> m.call(none, buf(new int[1]), 0, 0));
            }
        }
    }
}
