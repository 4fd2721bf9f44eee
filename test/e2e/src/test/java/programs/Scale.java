package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Barrier and allreduce on any number of ranks. Every rank compares the sum with a formula.
public final class Scale {
    private Scale() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            long n = world.size(), ranks = n * (n - 1) / 2;
            for (int count : new int[] {1, 1000, 20_000}) {
                world.barrier();
                long[] numbers = new long[count];
                for (int i = 0; i < count; i++) numbers[i] = world.rank() + (long) i;
                world.allreduce(buf(numbers), Op.SUM);
                for (int i = 0; i < count; i++) {
                    if (numbers[i] != ranks + n * i) throw new AssertionError(count + ": [" + i + "]=" + numbers[i]);
                }
                double greatest = world.allreduce((double) world.rank(), Op.MAX);
                if (greatest != n - 1) throw new AssertionError("max=" + greatest);
            }
            world.barrier();
            if (world.rank() == 0) System.out.println("well done by " + n);
        }
    }
}
