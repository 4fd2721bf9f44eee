package programs;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Window;

/// Ranks share a window, but no memory, like ranks of several machines.
public final class WindowsApart {
    private WindowsApart() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;
            try (Window w = Window.allocate(world, 1 << 20, 8)) {
                try {
                    w.memory(right);
                } catch (MpiException e) {
                    System.out.println(e.getMessage());
                }
                long sum = 0;
                for (int i = 0; i < 10; i++) {
                    w.lock(right);
                    w.put(buf(new long[] {i}), right, 1);
                    w.unlock(right);
                    world.barrier();
                    long[] got = new long[1];
                    w.lock(me, Window.LockType.SHARED);
                    w.get(buf(got), me, 1);
                    w.unlock(me);
                    sum += got[0];
                    world.barrier();
                }
                w.fence();
                w.accumulate(buf(new short[] {1}), 0, 2, Op.SUM); // under a lock of Tutti
                w.at(0, 3).fetchAndAdd(1L); // performed by the library
                w.fence();
                boolean counted = me != 0
                        || w.memory().get(ValueLayout.JAVA_SHORT, 16) == n
                                && w.memory().get(ValueLayout.JAVA_LONG, 24) == n;
                w.post(world.group().incl(left));
                w.start(world.group().incl(right));
                w.put(buf(new byte[] {7}), right, 4);
                w.complete();
                w.await();
                boolean posted = w.memory().get(ValueLayout.JAVA_BYTE, 32) == 7;
                System.out.println(
                        "sum " + sum + " of 45" + (counted ? "" : ", not counted") + (posted ? "" : ", not put"));
            }
            try {
                Window.shared(world, 8).close();
                System.out.println("shared without common memory");
            } catch (MpiException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
