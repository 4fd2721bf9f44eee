/*
 * Ranks draw task numbers from a counter in a window of rank 0, without a call of rank 0: a free rank draws the next
 * number. The ranks then add to a sum, one at a time, under a lock that the program implements.
 *
 * The counterpart of "nxtval" in MPI textbooks: a counter by fetch-and-op, a mutex by compare-and-swap.
 *
 *     ./tutti run -n 4 examples/SharedCounter.java
 *
 *     rank 0 did … of 100 tasks
 *     rank 1 did … of 100 tasks
 *     rank 2 did … of 100 tasks
 *     rank 3 did … of 100 tasks
 *     every task was done once, their sum is 4950
 */

import static org.tutti.mpi.Buf.buf;

import java.util.concurrent.locks.LockSupport;
import org.tutti.mpi.*;

static final int TASKS = 100;
static final int COUNTER = 0, MUTEX = 1, SUM = 2; // offsets in the window of rank 0

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        try (Window window = Window.allocate(world, me == 0 ? 24 : 0, 8)) {
            window.lockAll(); // an access epoch for all ranks
            world.barrier();

            WindowTarget counter = window.at(0, COUNTER), mutex = window.at(0, MUTEX);
            int done = 0;
            long sum = 0;
            for (long task; (task = counter.fetchAndAdd(1L)) < TASKS; ) {
                sum += work(task);
                done++;
            }
            IO.println("rank " + me + " did " + done + " of " + TASKS + " tasks");

            // 0 means unlocked. The rank that replaces 0 has the lock.
            while (mutex.compareAndSwap(0L, 1L) != 0) Thread.onSpinWait();
            long[] total = new long[1];
            window.get(buf(total), 0, SUM);
            window.flush(0); // the sum has arrived
            total[0] += sum;
            window.put(buf(total), 0, SUM);
            window.flush(0); // complete at the target
            mutex.compareAndSwap(1L, 0L);

            window.unlockAll();
            world.barrier();
            if (me == 0) {
                window.lock(0, Window.LockType.SHARED);
                window.get(buf(total), 0, SUM);
                window.unlock(0);
                IO.println("every task was done once, their sum is " + total[0]);
            }
        }
    }
}

static long work(long task) {
    LockSupport.parkNanos(200_000); // simulates work
    return task;
}
