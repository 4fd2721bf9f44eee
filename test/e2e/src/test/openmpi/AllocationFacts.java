// Compares the allocations of messages through Open MPI's Java bindings with messages through org.tutti.mpi:
// the two are equal.

import static org.tutti.mpi.Buf.buf;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.*;
import mpi.*;
import org.tutti.mpi.Buf;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Session;

public class AllocationFacts extends OpenMpiFacts {
    static final int MESSAGES = 1_000;

    interface Loop {
        void message() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();
        // messages to the same rank, because a rank that waits for a different rank allocates in either API
        // when it yields the core
        try (Session session = Session.open();
                OwnedComm own = session.createFromGroup(session.group(Session.WORLD), "facts")) {
            fact("arraysAtRestAllocateNothing", () -> {
                int[] out = {me, 1}, in = new int[2];
                noMore(own, buf(out), buf(in), out, in);
            });
            fact("directBuffersAtRestAllocateNothing", () -> {
                IntBuffer out = MPI.newIntBuffer(2), in = MPI.newIntBuffer(2);
                noMore(own, buf(MemorySegment.ofBuffer(out)), buf(MemorySegment.ofBuffer(in)), out, in);
            });
        }
        MPI.Finalize();
    }

    static void noMore(OwnedComm own, Buf ownOut, Buf ownIn, Object out, Object in) throws Exception {
        long least = allocated(() -> {
            own.send(ownOut, me, 9);
            own.recv(ownIn, me, 9);
        });
        long used = allocated(() -> {
            w.send(out, 2, MPI.INT, me, 9);
            w.recv(in, 2, MPI.INT, me, 9);
        });
        if (used - least >= MESSAGES) throw new AssertionError(MESSAGES + " messages allocated " + used + " bytes, not " + least);
    }

    /** Returns the number of bytes that this thread allocates on the heap. */
    static long allocated(Loop loop) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long start = 0;
        for (int i = -MESSAGES; i < MESSAGES; i++) {
            if (i == 0) start = threads.getCurrentThreadAllocatedBytes();
            loop.message();
        }
        return threads.getCurrentThreadAllocatedBytes() - start;
    }
}
