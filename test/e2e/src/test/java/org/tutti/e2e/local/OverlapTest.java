package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Tutti;

/// A call with overlapping buffers is rejected on the calling rank (MPI 4.1, sections 3.10 and 6.2). Calls in
/// place, calls without elements, and calls with adjacent memory are accepted.
@Timeout(300)
class OverlapTest {
    private static void assertRejected(String operation, Consumer<Comm> call) {
        assertThatThrownBy(() -> Tutti.local(2, mpi -> call.accept(mpi.world())))
                .isInstanceOf(MpiException.class)
                .message()
                .contains(operation + ": send and recv overlap in memory; pass two buffers, or ");
    }

    private static Buf part(int[] all, Comm world) {
        return buf(all, world.rank() * 4, 4);
    }

    @Test
    void callsWithOneArrayTwice() {
        assertRejected("allreduce", w -> {
            int[] x = new int[8];
            w.allreduce(buf(x), buf(x), Op.SUM);
        });
        assertRejected("iallreduce", w -> {
            Buf x = buf(new int[8]);
            w.iallreduce(x, x, Op.SUM);
        });
        assertRejected("scan", w -> {
            int[] x = new int[8];
            w.scan(buf(x, 0, 4), buf(x, 3, 4), Op.SUM);
        });
        assertRejected("alltoall", w -> {
            int[] x = new int[8];
            w.alltoall(buf(x), buf(x));
        });
        assertRejected("sendrecv", w -> {
            int[] x = new int[8];
            w.sendrecv(buf(x), 1 - w.rank(), buf(x), 1 - w.rank());
        });
        assertRejected("isendrecv", w -> {
            int[] x = new int[8];
            w.isendrecv(buf(x), 1 - w.rank(), buf(x), 1 - w.rank());
        });
    }

    @Test
    void blockInsideOtherBuffer() {
        assertRejected("allgather", w -> {
            int[] x = new int[8];
            w.allgather(part(x, w), buf(x));
        });
        assertRejected("gather", w -> {
            int[] x = new int[8];
            w.gather(part(x, w), w.rank() == 0 ? buf(x).blocks(4, 4) : Buf.NONE, 0);
        });
        assertRejected("scatter", w -> {
            int[] x = new int[8];
            w.scatter(w.rank() == 0 ? buf(x) : Buf.NONE, part(x, w), 0);
        });
        assertRejected("allreduce", w -> {
            MemorySegment s = Arena.ofAuto().allocate(64, 8);
            w.allreduce(buf(s.asSlice(0, 32), Datatype.INT), buf(s.asSlice(28, 32), Datatype.INT), Op.SUM);
        });
    }

    @Test
    void correctCallsPass() {
        Tutti.local(2, mpi -> {
            Comm w = mpi.world();
            int me = w.rank();
            int[] x = new int[8];
            w.allreduce(buf(x), Op.SUM);
            w.iallreduce(Buf.IN_PLACE, buf(x), Op.SUM).await();
            w.allreduce(buf(x, 0, 4), buf(x, 4, 4), Op.SUM);
            // the send buffer is adjacent to the receive buffer
            w.allreduce(buf(x, 4, 4), buf(x, 0, 4), Op.SUM);
            w.allreduce(buf(x, 0, 0), buf(x), Op.SUM);
            w.allgather(Buf.IN_PLACE, buf(x));
            // the blocks surround the send buffer
            Buf around = me == 0 ? buf(x).blocks(new long[] {2, 2}, new long[] {0, 6}) : Buf.NONE;
            w.gather(buf(x, 2, 2), around, 0);
            // only the root receives data
            w.reduce(buf(x), me == 0 ? buf(new int[8]) : buf(x), Op.SUM, 0);
            w.sendrecv(buf(x, 0, 4), 1 - me, buf(x, 4, 4), 1 - me);
            w.sendrecvReplace(buf(x), 1 - me, 1 - me);
            w.sendrecv(buf(x), Comm.PROC_NULL, buf(x), Comm.PROC_NULL);
            // every second element
            Datatype even = Datatype.INT.vector(4, 1, 2);
            w.sendrecv(buf(x, 0, 1, even), 1 - me, buf(x, 1, 1, even), 1 - me);
            // a buffer may be sent several times
            var one = w.isend(buf(x), 1 - me, 1);
            var two = w.isend(buf(x), 1 - me, 1);
            w.recv(buf(new int[8]), 1 - me, 1);
            w.recv(buf(new int[8]), 1 - me, 1);
            one.await();
            two.await();
        });
    }
}
