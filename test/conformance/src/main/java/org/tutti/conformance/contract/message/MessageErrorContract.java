package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;

/// An error in one message does not affect other messages or the rest of the job.
public final class MessageErrorContract {
    private MessageErrorContract() {}

    /// Checks that the next message is received normally, and that collective calls work.
    private static void goesOn(Trial t) {
        int[] in = new int[1];
        t.world().sendrecv(buf(new int[] {t.rank()}), t.right(), 1, buf(in), t.left(), 1);
        Check.same(t.left(), in[0], "the message after the bad one");
        Check.same(t.size(), t.world().allreduce(1, org.tutti.mpi.Op.SUM), "a sum after the bad message");
    }

    @Contract
    public static void tooLongForTheBuffer(Trial t) {
        for (int count : new int[] {11, 100_003}) {
            Request send = t.world().isend(buf(new double[count]), t.right(), 7);
            double[] in = new double[10];
            MpiException e =
                    Check.fails(ErrorClass.ERR_TRUNCATE, () -> t.world().recv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG));
            Check.same(MpiException.Scope.MESSAGE, e.scope(), "scope of a truncation");
            Check.same("recv", e.operation(), "operation");
            String text = String.valueOf(e.getMessage());
            if (t.onShm()) {
                Check.same(
                        "recv: message of " + count + " DOUBLE (" + 8 * count + " bytes) from rank " + t.left()
                                + ", tag 7, does not fit into the buffer of 10 DOUBLE (80 bytes) (" + t.where() + ")",
                        text,
                        "text of a truncation");
            }
            Check.that(text.contains("80 bytes") && text.endsWith("(" + t.where() + ")"), "text: " + text);
            send.await();
            goesOn(t);
        }
    }

    /// Covers every transfer path: messages to other ranks and to the same rank, expected and unexpected. In
    /// its default configuration, Open MPI writes beyond the buffer when it copies between the memories of two
    /// processes.
    @Contract
    public static void memoryAfterTheBufferIsUnchanged(Trial t) {
        byte untouched = 0x5a;
        for (int length : new int[] {100, 5_000, 70_000, 1_000_000}) {
            int room = length / 10;
            MemorySegment memory = t.alloc(0, length);
            for (int to : new int[] {t.right(), t.rank()}) {
                int from = to == t.rank() ? to : t.left();
                for (boolean expected : new boolean[] {false, true}) {
                    memory.fill(untouched);
                    Buf in = buf(memory.asSlice(0, room), Datatype.BYTE);
                    Request receive = expected ? t.world().irecv(in, from, 7) : null;
                    if (expected) t.world().barrier();
                    Request send = t.world().isend(buf(new byte[length]), to, 7);
                    if (!expected) t.world().barrier();
                    Request late = receive == null ? t.world().irecv(in, from, 7) : receive;
                    // Open MPI 4.1.4 may truncate an expected message to the same rank without an error
                    if (expected && to == t.rank() && !t.onShm()) Check.mayFail(ErrorClass.ERR_TRUNCATE, late::await);
                    else Check.fails(ErrorClass.ERR_TRUNCATE, late::await);
                    send.await();
                    for (int i = room; i < length; i++) {
                        if (memory.get(ValueLayout.JAVA_BYTE, i) == untouched) continue;
                        throw new AssertionError(
                                "byte " + i + " of a buffer of " + room + " was written by a message of " + length
                                        + " bytes from rank " + from + (expected ? ", expected" : ", unexpected"));
                    }
                    t.world().barrier();
                }
            }
        }
        goesOn(t);
    }

    /// Requires two ranks: Open MPI 4.1.4 truncates a message to the same rank without an error if the receive
    /// was posted before the send.
    @Contract(minRanks = 2)
    public static void irecvReportsTruncationInTheRequest(Trial t) {
        int[] in = new int[3];
        Request receive = t.world().irecv(buf(in), t.left(), 7);
        Request send = t.world().isend(buf(new int[4]), t.right(), 7);
        Check.fails(ErrorClass.ERR_TRUNCATE, receive::await);
        Check.fails(ErrorClass.ERR_TRUNCATE, receive::await);
        Check.fails(ErrorClass.ERR_TRUNCATE, receive::test);
        send.await();
        goesOn(t);
    }

    @Contract(engine = "shm")
    public static void tooManyBytesForTheBuffer(Trial t) {
        Request send = t.world().isend(buf(new byte[9]), t.right(), 7);
        MpiException e =
                Check.fails(ErrorClass.ERR_TRUNCATE, () -> t.world().recv(buf(new byte[8]), Comm.ANY_SOURCE, 7));
        Check.same(
                "recv: message of 9 bytes from rank " + t.left() + ", tag 7, does not fit into the buffer of 8 bytes ("
                        + t.where() + ")",
                e.getMessage(),
                "text");
        send.await();
        goesOn(t);
    }

    /// A synchronous send completes although the receive has failed, because the message was matched.
    @Contract(minRanks = 2)
    public static void synchronousMessageTooLong(Trial t) {
        for (int count : new int[] {2, 60_000}) {
            Request send = t.world().issend(buf(new int[count]), t.right(), 7);
            Check.fails(ErrorClass.ERR_TRUNCATE, () -> t.world().recv(buf(new int[1]), t.left(), 7));
            send.await();
            goesOn(t);
        }
    }

    @Contract(engine = "shm")
    public static void receiveWithADifferentType(Trial t) {
        Request send = t.world().isend(buf(new double[3]), t.right(), 2);
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> t.world().recv(buf(new float[6]), t.left(), 2));
        Check.same(
                "recv: message from rank " + t.left() + ", tag 2, holds 3 DOUBLE, the buffer is of FLOAT (" + t.where()
                        + ")",
                e.getMessage(),
                "text");
        Check.same(MpiException.Scope.MESSAGE, e.scope(), "scope");
        send.await();
        goesOn(t);
    }

    @Contract(engine = "shm")
    public static void anObjectWhereDataIsExpected(Trial t) {
        t.world().sendObject("text", t.right(), 2);
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> t.world().recv(buf(new int[100]), t.left(), 2));
        Check.same(
                "recv: message from rank " + t.left()
                        + ", tag 2, holds an object, not INT; receive it with recvObject (" + t.where() + ")",
                e.getMessage(),
                "text");
        goesOn(t);
    }

    @Contract
    public static void dataWhereAnObjectIsExpected(Trial t) {
        Request send = t.world().isend(buf(new int[] {1, 2}), t.right(), 2);
        MpiException e = Check.fails(ErrorClass.ERR_TYPE, () -> t.world().recvObject(String.class, t.left(), 2));
        if (t.onShm()) {
            Check.same(
                    "recvObject: message from rank " + t.left()
                            + ", tag 2, holds 2 INT, not an object; receive it with recv (" + t.where() + ")",
                    e.getMessage(),
                    "text");
        }
        send.await();
        goesOn(t);
    }

    /// The send of the sendrecv still completes. Requires two ranks for the reason given at
    /// [#irecvReportsTruncationInTheRequest].
    @Contract(minRanks = 2)
    public static void tooLongForASendrecv(Trial t) {
        int[] in = new int[1];
        Check.fails(
                ErrorClass.ERR_TRUNCATE,
                () -> t.world().sendrecv(buf(new int[] {1, 2}), t.right(), 4, buf(in), t.left(), 4));
        goesOn(t);
    }
}
