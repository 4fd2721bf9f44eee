/*
 * All ranks read data of rank 0, without a call of rank 0: first the whole window, then a part.
 *
 * The two programs on one-sided communication in mpi4py's tutorial.
 *
 *     ./tutti run -n 4 examples/WindowTutorial.java
 *
 *     rank 1 read [42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0]
 *     rank 2 read [42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0]
 *     rank 3 read [42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0, 42.0]
 *     rank 0 read two from place 0 on: [0.0, 1.0, 0.0]
 *     rank 1 read two from place 1 on: [1.0, 2.0, 0.0]
 *     rank 2 read two from place 2 on: [2.0, 3.0, 0.0]
 *     rank 3 read two from place 3 on: [3.0, 4.0, 0.0]
 */

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tutti.mpi.*;

static final int N = 10;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        // Only rank 0 has memory in this window.
        try (Window window = Window.allocate(world, me == 0 ? 4 * N : 0)) {
            float[] x = new float[N];
            if (me == 0) {
                Arrays.fill(x, 42);
                window.lock(0);
                window.put(buf(x), 0);
                window.unlock(0);
                world.barrier();
            } else {
                world.barrier();
                window.lock(0, Window.LockType.SHARED);
                window.get(buf(x), 0);
                window.unlock(0);
                IO.println("rank " + me + " read " + Arrays.toString(x));
            }
        }

        // Displacements count floats here, because rank 0 has declared this unit.
        try (Window window = Window.allocate(world, me == 0 ? 4L * (n + 1) : 0, 4)) {
            if (me == 0) {
                for (int i = 0; i <= n; i++) window.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
                window.sync();
            }
            world.barrier();
            float[] x = new float[3];
            window.lock(0, Window.LockType.SHARED);
            window.at(0, me, 2, Datatype.FLOAT).get(buf(x)); // two of three: the last element is unchanged
            window.unlock(0);
            IO.println("rank " + me + " read two from place " + me + " on: " + Arrays.toString(x));
        }
    }
}
