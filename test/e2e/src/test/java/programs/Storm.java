package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// All events that the JVM handles by signals, after the native library could have replaced the handlers: null
/// checks, divisions by zero, stack overflows, safepoints. `Storm TIMES`: this number of each of the first
/// three, distributed over the ranks, each kind on a separate thread, while two more threads exchange messages
/// and collect garbage.
///
/// The checks are implicit: an access that faults, a division that traps, a guard page of the stack. The checks
/// of the interpreter and C1 are always implicit. C2 replaces the first by a comparison after a few hundred
/// faults of a method, and never uses the second; the exception then has no stack, and
/// `-XX:-OmitStackTraceInFastThrow` would add a stack, but no fault. So for faults from beginning to end the
/// JVM is started with `-XX:TieredStopAtLevel=1`.
public final class Storm {
    private Storm() {}

    /// Enough for HotSpot's guard pages and some hundred frames.
    private static final long SMALL_STACK = 256 << 10;

    /// An overflow begins this number of frames before the end of the stack, so that the cost is the fault,
    /// not the descent.
    private static final int FRAMES_BEFORE_THE_END = 10;

    private static final int MESSAGE = 10_000;

    private static volatile boolean over;
    private static Throwable failure;

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            int times = Integer.parseInt(args[0]) / world.size();
            world.barrier();
            long[] caught = new long[3];
            List<Thread> storms = List.of(
                    start("nulls", 0, () -> caught[0] = nulls(times)),
                    start("divisions", 0, () -> caught[1] = divisions(times)),
                    start("overflows", SMALL_STACK, () -> caught[2] = overflows(times)));
            Thread talker = start("talker", 0, () -> talk(world));
            Thread collector = start("collector", 0, Storm::collect);
            for (Thread storm : storms) storm.join();
            over = true;
            collector.join();
            talker.join();
            if (failure != null) throw new AssertionError("a thread has failed", failure);
            String all = Arrays.stream(caught)
                    .mapToObj(each -> Long.toString(world.allreduce(each, Op.SUM)))
                    .collect(Collectors.joining(" "));
            if (world.rank() == 0) System.out.println("caught " + all);
        }
    }

    /// The code of a thread.
    private interface Body {
        void run() throws Exception;
    }

    private static Thread start(String name, long stackBytes, Body body) {
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        body.run();
                    } catch (Throwable t) {
                        failure = t;
                        over = true;
                    }
                },
                name,
                stackBytes);
        thread.start();
        return thread;
    }

    static long nulls(int times) {
        int[][] maybe = {null, {1}};
        long caught = 0;
        for (int i = 0; i < 2 * times; i++) {
            try {
                caught += length(maybe[i & 1]) - 1;
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    private static int length(int[] array) {
        return array.length;
    }

    private static long divisions(int times) {
        long caught = 0;
        for (int i = 0; i < 2 * times; i++) {
            try {
                caught += quotient(i, i & 1) & 0;
            } catch (ArithmeticException e) {
                caught++;
            }
        }
        return caught;
    }

    private static int quotient(int a, int b) {
        return a / b;
    }

    /// The depth at which the stack ends changes with compilation, so it is determined repeatedly.
    private static long overflows(int times) {
        long caught = 0;
        int turn = Integer.MAX_VALUE;
        while (caught < times) {
            deepest = 0;
            try {
                caught += descend(1, turn, (int) Math.min(1000, times - caught));
                turn = Integer.MAX_VALUE;
            } catch (StackOverflowError e) {
                caught++;
                turn = Math.max(2, deepest - FRAMES_BEFORE_THE_END);
            }
        }
        return caught;
    }

    private static int deepest;

    /// Recurses forever; but at depth `turn` it causes `times` overflows of the stack.
    private static long descend(int depth, int turn, int times) {
        deepest = depth;
        if (depth != turn) return descend(depth + 1, turn, times);
        long caught = 0;
        for (int i = 0; i < times; i++) {
            try {
                caught += descend(depth + 1, turn, times) & 0;
            } catch (StackOverflowError e) {
                caught++;
            }
        }
        return caught;
    }

    /// Until all ranks are done.
    private static void talk(Comm world) throws InterruptedException {
        double[] out = new double[MESSAGE], in = new double[MESSAGE];
        int me = world.rank(), n = world.size();
        while (world.allreduce(over ? 1 : 0, Op.MIN) == 0) {
            Arrays.fill(out, me);
            world.sendrecv(buf(out), (me + 1) % n, buf(in), (me + n - 1) % n);
            if (in[MESSAGE - 1] != (me + n - 1) % n) throw new AssertionError("received " + in[MESSAGE - 1]);
            Thread.sleep(1); // the storms shall have the processors
        }
    }

    private static void collect() throws InterruptedException {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; !over; i++) {
            if (i % 10_000 == 0) {
                kept = new ArrayList<>();
                Thread.sleep(1);
            }
            if (i % 200_000 == 0) System.gc();
            kept.add(new byte[100]);
        }
    }
}
