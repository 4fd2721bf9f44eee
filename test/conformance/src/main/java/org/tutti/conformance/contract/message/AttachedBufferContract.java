package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;

/// Buffers that the program attaches for messages in buffered mode. MPI 4.1, section 3.6.
public final class AttachedBufferContract {
    private static final int INTS = 20_000;

    private AttachedBufferContract() {}

    /// If no rank receives, the buffer holds exactly the calculated number of messages. Received messages free
    /// the space.
    @Contract(minRanks = 2)
    public static void holdsMessagesUpToTheCapacity(Trial t) {
        int many = 3;
        int[] data = new int[INTS];
        try (OwnedComm comm = t.world().dup()) {
            comm.attachBuffer(many * (4L * INTS + Comm.BSEND_OVERHEAD));
            for (int round = 0; round < 4; round++) {
                for (int k = 0; k < many; k++) {
                    data[INTS - 1] = 100 * round + k;
                    comm.bsend(buf(data), t.right(), k);
                }
                comm.barrier();
                for (int k = 0; k < many; k++) {
                    comm.recv(buf(data), t.left(), k);
                    Check.same(100 * round + k, data[INTS - 1], "value " + k + " of round " + round);
                }
                comm.flushBuffer();
            }
            Check.same(
                    many * (4L * INTS + Comm.BSEND_OVERHEAD),
                    comm.detachBuffer().byteSize(),
                    "returned buffer");
        }
    }

    @Contract
    public static void rejectsMessagesBeyondTheCapacity(Trial t) {
        try (OwnedComm comm = t.world().dup()) {
            comm.attachBuffer(1000);
            String end = " (rank " + t.rank() + " of " + t.size() + ", " + comm.name() + ")";
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "bsend: a message of 2000 bytes needs 2064 with BSEND_OVERHEAD, but of the 1000 bytes attached to "
                            + comm.name() + " only 1000 contiguous bytes are free; attach a larger buffer, or flush it"
                            + " first" + end,
                    () -> comm.bsend(buf(new int[500]), t.right(), 1));
            int[] in = new int[1];
            Request r = comm.irecv(buf(in), t.left(), 1);
            comm.bsend(buf(new int[] {t.rank()}), t.right(), 1);
            r.await();
            Check.same(t.left(), in[0], "value");
            comm.ibsend(buf(new int[] {5}), Comm.PROC_NULL, 1).await();
            comm.detachBuffer();
        }
    }

    /// The buffer of the communicator has priority over the buffer of the rank, which has priority over the
    /// buffer of Tutti.
    @Contract
    public static void eachCommunicatorHasASeparateBuffer(Trial t) {
        try (OwnedComm first = t.world().dup();
                OwnedComm second = t.world().dup();
                Arena arena = Arena.ofShared()) {
            MemorySegment mine = arena.allocate(4000);
            t.mpi().attachBuffer(mine);
            first.attachBuffer(100);
            Check.fails(ErrorClass.ERR_BUFFER, () -> first.bsend(buf(new byte[1000]), t.right(), 1));
            second.bsend(buf(new byte[] {1, 2, 3, (byte) t.rank()}), t.right(), 1);
            byte[] in = new byte[4];
            second.recv(buf(in), t.left(), 1);
            Check.same((byte) t.left(), in[3], "value");
            Check.fails(ErrorClass.ERR_BUFFER, () -> second.bsend(buf(new byte[5000]), t.right(), 1));
            first.detachBuffer();
            first.bsendObject("text", t.right(), 2);
            Check.same("text", first.recvObject(String.class, t.left(), 2), "object");
            Check.that(t.mpi().detachBuffer().equals(mine), "detachBuffer returned a different buffer");
            Request r = second.irecv(buf(in), t.left(), 3);
            second.bsend(buf(new byte[] {9, 9, 9, 9}), t.right(), 3);
            r.await();
            t.mpi().flushBuffers();
        }
    }

    @Contract
    public static void flushesAsARequest(Trial t) {
        for (boolean own : new boolean[] {true, false}) {
            int[] data = new int[INTS];
            if (own) t.world().attachBuffer(5L * (4 * INTS + Comm.BSEND_OVERHEAD));
            t.world().iflushBuffer().await();
            for (int k = 0; k < 5; k++) t.world().bsend(buf(data), t.right(), k);
            try (Requests r = t.mpi().requests()) {
                r.add(t.world().iflushBuffer());
                for (int k = 0; k < 5; k++) r.add(t.world().irecv(buf(new int[INTS]), t.left(), k));
                r.awaitAll();
                for (int k = 0; k < 5; k++) t.world().bsend(buf(data), t.right(), k);
                r.clear();
                r.add(own ? t.world().iflushBuffer() : t.mpi().iflushBuffers());
                for (int k = 0; k < 5; k++) t.world().recv(buf(data), t.left(), k);
                Check.same(0, r.awaitAny().getAsInt(), "index of the only request");
            }
            if (own) t.world().detachBuffer();
        }
        t.world().barrier();
    }

    /// A flush that waits for buffered messages does not delay other requests of the set.
    @Contract(minRanks = 2)
    public static void flushInARequestSet(Trial t) {
        int[] data = new int[INTS];
        int[] word = new int[1];
        try (OwnedComm comm = t.world().dup();
                Requests r = t.mpi().requests()) {
            comm.attachBuffer(2 * (4L * INTS + Comm.BSEND_OVERHEAD));
            comm.bsend(buf(data), t.right(), 1);
            r.add(comm.iflushBuffer());
            r.add(comm.irecv(buf(word), t.left(), 2));
            comm.bsend(buf(word), t.right(), 2);
            Check.same(1, r.awaitAny().getAsInt(), "index of the only request that can complete");
            t.world().barrier();
            comm.recv(buf(data), t.left(), 1);
            Check.same(0, r.awaitAny().getAsInt(), "index of the flush");
        }
        t.world().barrier();
    }

    @Contract
    @SuppressWarnings("NullAway") // programs without null checks may pass null
    public static void attachAndDetachOutOfTurn(Trial t) {
        String end = " (" + t.where() + ")";
        Comm w = t.world();
        Check.rejects(ErrorClass.ERR_BUFFER, "detachBuffer: no buffer is attached to WORLD" + end, w::detachBuffer);
        Check.rejects(
                ErrorClass.ERR_BUFFER, "detachBuffer: no buffer is attached to this rank" + end, t.mpi()::detachBuffer);
        Check.rejects(ErrorClass.ERR_ARG, "attachBuffer: bytes=-1 is negative" + end, () -> w.attachBuffer(-1));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "attachBuffer: the buffer is read-only" + end,
                () -> w.attachBuffer(MemorySegment.ofArray(new byte[9]).asReadOnly()));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "attachBuffer: the buffer is null" + end,
                () -> w.attachBuffer((MemorySegment) null));
        Check.rejects(
                ErrorClass.ERR_NO_MEM,
                "attachBuffer: not enough memory for bytes=" + Long.MAX_VALUE + end,
                () -> w.attachBuffer(Long.MAX_VALUE));
        w.attachBuffer(500);
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "attachBuffer: a buffer of 500 bytes is attached to WORLD already; call detachBuffer() first" + end,
                () -> w.attachBuffer(600));
        w.detachBuffer();
    }
}
