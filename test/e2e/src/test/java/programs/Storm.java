package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// Causes all events that the JVM handles by signals, after the native library could have replaced the
/// handlers: null checks, divisions by zero, stack overflows and safepoints. `Storm TIMES` causes this number
/// of each of the first three, divided among the ranks and with a separate thread for each kind, while two more
/// threads exchange messages and collect garbage.
///
/// The checks are implicit: an access that faults, a division that traps, a guard page of the stack. In the
/// interpreter and in code of C1, checks are always implicit. C2 replaces an implicit null check by a
/// comparison after a few hundred faults in a method, and never uses implicit checks of divisors. The
/// exceptions of such code have no stack; `-XX:-OmitStackTraceInFastThrow` would add the stack, but no fault.
/// So the JVM is started with `-XX:TieredStopAtLevel=1`, with which every check causes a fault.
public final class Storm {
    private Storm() {}

    /// Size of a stack that contains HotSpot's guard pages and some hundred frames.
    private static final long SMALL_STACK = 256 << 10;

    /// The number of frames before the end of the stack at which an overflow begins. It is small, so that most
    /// of the time is spent in the fault, not in the descent.
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

    /// The work of a thread.
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

    /// Causes stack overflows. Compilation changes the maximum depth of the stack, so the depth is determined
    /// repeatedly.
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

    /// Recurses without end, except that at depth `turn` it causes `times` stack overflows.
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

    /// Exchanges messages until all ranks are done.
    private static void talk(Comm world) throws InterruptedException {
        double[] out = new double[MESSAGE], in = new double[MESSAGE];
        int me = world.rank(), n = world.size();
        while (world.allreduce(over ? 1 : 0, Op.MIN) == 0) {
            Arrays.fill(out, me);
            world.sendrecv(buf(out), (me + 1) % n, buf(in), (me + n - 1) % n);
            if (in[MESSAGE - 1] != (me + n - 1) % n) throw new AssertionError("received " + in[MESSAGE - 1]);
            Thread.sleep(1); // the storms need the cores
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
