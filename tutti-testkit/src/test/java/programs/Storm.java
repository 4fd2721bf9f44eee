package programs;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// All that the JVM does by signals, after the native library had its chance to take them: null checks,
/// divisions by zero, stack overflows, safepoints.
public final class Storm {
    private Storm() {}

    private static final int TIMES = 100_000;
    private static final int OVERFLOWS = 20;
    private static final int COLLECTIONS = 30;

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init(args)) {
            Comm world = mpi.world();
            world.barrier();
            int[][] maybe = {null, {1}};
            long caught = 0;
            for (int i = 0; i < TIMES; i++) {
                try {
                    caught += length(maybe[i & 1]) - 1;
                } catch (NullPointerException e) {
                    caught++;
                }
                try {
                    caught += quotient(i, i & 1) & 0;
                } catch (ArithmeticException e) {
                    caught++;
                }
            }
            for (int i = 0; i < OVERFLOWS; i++) {
                try {
                    caught += deeper(1) & 0;
                } catch (StackOverflowError e) {
                    caught++;
                }
            }
            Thread busy = Thread.ofPlatform().daemon().start(Storm::churn);
            for (int i = 0; i < COLLECTIONS; i++) System.gc();
            if (!busy.isAlive()) throw new AssertionError("the busy thread has died");
            long all = world.allreduce(caught, Op.SUM);
            if (world.rank() == 0) System.out.println("caught " + all / world.size());
        }
    }

    private static int length(int[] array) {
        return array.length;
    }

    private static int quotient(int a, int b) {
        return a / b;
    }

    private static int deeper(int depth) {
        return depth < 0 ? depth : deeper(depth + 1) + 1;
    }

    private static void churn() {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; ; i++) {
            if (i % 1000 == 0) kept = new ArrayList<>();
            kept.add(new byte[100]);
        }
    }
}
