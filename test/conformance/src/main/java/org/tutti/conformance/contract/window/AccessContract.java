package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;
import org.tutti.mpi.Window;

/// The effects of one-sided accesses. MPI 4.1, section 12.3.
public final class AccessContract {
    private static final int MOST = 700;

    private AccessContract() {}

    /// Puts data of each type, from each kind of memory, to the right neighbor and gets it back.
    @Contract
    public static void getReturnsPutData(Trial t) {
        try (Window w = Window.allocate(t.world(), 8L * MOST + 8, 1)) {
            int number = 0;
            for (Datatype type : Plain.TYPES) {
                for (int count : new int[] {0, 1, 7, MOST}) {
                    for (MemoryKind kind : MemoryKind.values()) {
                        int salt = number++;
                        int at = (int) (salt % 3 * type.sizeBytes() % 8);
                        Box from = Box.of(t, 0, kind, type, count).fill(i -> Plain.value(type, salt, t.rank(), i));
                        Box to = Box.of(t, 1, kind.plus(1), type, count).fill(_ -> 0);
                        w.fence();
                        w.put(from.buf(), t.right(), at);
                        w.fence();
                        w.get(to.buf(), t.right(), at);
                        to.expect(i -> Plain.value(type, salt, t.rank(), i), "data put as " + from);
                    }
                }
            }
            w.fence();
        }
    }

    /// Displacements are in units of the target.
    @Contract
    public static void displacementsUseTheTargetsUnit(Trial t) {
        int unit = 1 << t.rank() % 4;
        try (Window w = Window.allocate(t.world(), 64, unit)) {
            w.fence();
            for (int r = 0; r < t.size(); r++) {
                if (t.rank() == r / 2) w.put(buf(new byte[] {(byte) (50 + r)}), r, 8 / w.unitBytes(r));
            }
            w.fence();
            Check.same(50 + t.rank(), w.memory().get(ValueLayout.JAVA_BYTE, 8), "byte 8");
            Check.same(0, w.memory().get(ValueLayout.JAVA_BYTE, 1), "byte 1");
            w.fence();
        }
    }

    /// The target combines the data of each rank once, in any order.
    @Contract
    public static void accumulatesEqualReductions(Trial t) {
        int count = 33;
        try (Window w = Window.allocate(t.world(), 16L * count, 1)) {
            for (Datatype type : Plain.TYPES) {
                for (Op op : Plain.opsOf(type)) {
                    int salt = (type.name() + op.name()).hashCode();
                    Box mine =
                            Box.of(t, 0, MemoryKind.ARRAY, type, count).fill(i -> Plain.value(type, salt, t.rank(), i));
                    w.fence();
                    if (t.rank() == 0) w.put(mine.buf(), 0);
                    w.fence();
                    if (t.rank() != 0) w.accumulate(mine.buf(), 0, op);
                    w.fence();
                    Box result = Box.of(t, 1, MemoryKind.NATIVE, type, count);
                    w.get(result.buf(), 0);
                    result.expect(i -> Plain.reduced(type, op, salt, t.size(), i), op + " of " + type);
                }
            }
            w.fence();
        }
    }

    /// All ranks fetch from one element at the same time, for each type: each fetched value was in memory
    /// exactly once.
    @Contract
    public static void fetchesAreAtomic(Trial t) {
        int times = 2_000;
        try (Window w = Window.allocate(t.world(), 64, 8)) {
            w.lockAll();
            long last = -1;
            for (int i = 0; i < times; i++) {
                long now = w.at(0, 0).fetchAndAdd(1L);
                Check.that(now > last, "fetched " + now + " after " + last);
                last = now;
                w.at(0, 1).fetchAndAdd(1);
                w.at(0, 2).fetchAndAdd(1.0);
                w.at(0, 3).fetchAndAdd(1.0f);
                w.accumulate(buf(new short[] {1}), 0, 4, Op.SUM);
                w.accumulate(buf(new byte[] {1}), 0, 5, Op.BXOR);
                w.accumulate(buf(new char[] {1}), 0, 6, Op.SUM);
            }
            w.unlockAll();
            t.world().barrier();
            if (t.rank() == 0) {
                int all = times * t.size();
                Check.same(all, w.memory().get(ValueLayout.JAVA_LONG, 0), "longs");
                Check.same(all, w.memory().get(ValueLayout.JAVA_INT, 8), "ints");
                Check.that(w.memory().get(ValueLayout.JAVA_DOUBLE, 16) == all, "doubles");
                Check.that(w.memory().get(ValueLayout.JAVA_FLOAT, 24) == all, "floats");
                Check.same((short) all, w.memory().get(ValueLayout.JAVA_SHORT, 32), "shorts");
                Check.same(all % 2, w.memory().get(ValueLayout.JAVA_BYTE, 40), "bytes");
                Check.same((char) all, w.memory().get(ValueLayout.JAVA_CHAR, 48), "chars");
            }
            t.world().barrier();
        }
    }

    /// The program implements mutual exclusion with compare-and-swap.
    @Contract
    public static void swapsAreAtomic(Trial t) {
        int times = 100;
        try (Window w = Window.allocate(t.world(), 24, 8)) {
            w.lockAll();
            long[] value = new long[1];
            for (int i = 0; i < times; i++) {
                while (w.at(0, 0).compareAndSwap(0L, t.rank() + 1L) != 0) Thread.yield();
                w.get(buf(value), 0, 1);
                w.flush(0);
                value[0]++;
                w.put(buf(value), 0, 1);
                w.flush(0);
                Check.same(t.rank() + 1, w.at(0, 0).compareAndSwap(t.rank() + 1L, 0L), "owner");
            }
            Check.same(0, w.at(0, 2).compareAndSwap(7, 5), "value that is not 7");
            w.unlockAll();
            t.world().barrier();
            if (t.rank() == 0) Check.same((long) times * t.size(), w.memory().get(ValueLayout.JAVA_LONG, 8), "sum");
            t.world().barrier();
        }
    }

    /// The old value may be stored in the memory of the compared value, as in C's atomic exchange.
    @Contract
    public static void compareAndSwapMayOverwriteTheComparison(Trial t) {
        try (Window w = Window.allocate(t.world(), 16, 8)) {
            w.lock(t.right());
            w.put(buf(new long[] {7, 7}), t.right());
            w.flush(t.right());
            long[] l = {0};
            w.compareAndSwap(buf(new long[] {5}), buf(l), buf(l), t.right(), 0);
            Check.same(7, l[0], "value that is not 0");
            byte[] b = {0};
            w.compareAndSwap(buf(new byte[] {5}), buf(b), buf(b), t.right(), 1);
            Check.same(7, b[0], "byte that is not 0");
            w.compareAndSwap(buf(new long[] {5}), buf(l), buf(l), t.right(), 0);
            w.compareAndSwap(buf(new byte[] {5}), buf(b), buf(b), t.right(), 1);
            long[] now = new long[2];
            w.get(buf(now), t.right());
            w.unlock(t.right());
            Check.same(List.of(5L, 5L).toString(), Arrays.toString(now), "memory after the second swap");
            t.world().barrier();
        }
    }

    @Contract
    public static void fetchesReturnThePreviousValue(Trial t) {
        try (Window w = Window.allocate(t.world(), 80, 8)) {
            double[] mine = {t.rank(), 2, 3}, got = new double[3];
            w.lock(t.right());
            w.getAccumulate(buf(mine), buf(got), t.right(), 1, Op.REPLACE);
            Check.that(Arrays.equals(new double[3], got), "before the first: " + Arrays.toString(got));
            w.getAccumulate(buf(mine), buf(got), t.right(), 1, Op.SUM);
            Check.that(Arrays.equals(mine, got), "replaced data: " + Arrays.toString(got));
            w.getAccumulate(Buf.buf(new double[3]), buf(got), t.right(), 1, Op.NO_OP);
            Check.that(Arrays.equals(new double[] {2 * t.rank(), 4, 6}, got), "the sum: " + Arrays.toString(got));
            int[] one = new int[1];
            w.fetchAndOp(buf(new int[] {9}), buf(one), t.right(), 7, Op.MAX);
            w.fetchAndOp(buf(new int[] {3}), buf(one), t.right(), 7, Op.MAX);
            Check.same(9, one[0], "the greatest");
            long[] old = new long[1];
            w.compareAndSwap(buf(new long[] {5}), buf(new long[] {0}), buf(old), t.right(), 8);
            w.compareAndSwap(buf(new long[] {6}), buf(new long[] {0}), buf(old), t.right(), 8);
            Check.same(5, old[0], "value of the first swap");
            w.unlock(t.right());
            t.world().barrier();
        }
    }

    /// The target layout is a column of a matrix. The origin is a row, with elements of a different size.
    @Contract
    public static void originAndTargetLayoutsDiffer(Trial t) {
        int rows = 5, columns = 4;
        Datatype column = Datatype.INT.vector(rows, 1, columns);
        try (Window w = Window.allocate(t.world(), 4L * rows * columns, 4)) {
            int[] row = {1, 2, 3, 4, 5};
            w.fence();
            w.at(t.right(), 2, 1, column).put(buf(row));
            w.fence();
            for (int i = 0; i < rows * columns; i++) {
                int expected = i % columns == 2 ? i / columns + 1 : 0;
                Check.same(expected, w.memory().getAtIndex(ValueLayout.JAVA_INT, i), "element ", i);
            }
            w.fence();
            int[] got = new int[9];
            Arrays.fill(got, -1);
            w.at(t.right(), 2, 1, column).get(buf(got));
            Check.same(List.of(1, 2, 3, 4, 5, -1, -1, -1, -1), boxed(got), "a column as a row");
            int[] matrix = new int[rows * columns];
            w.at(t.right(), 2, 1, column).get(buf(matrix, 0, 1, column));
            for (int i = 0; i < rows; i++) Check.same(i + 1, matrix[i * columns], "a column as a column");
            // if no target layout is passed, the origin's layout applies
            w.fence();
            w.accumulate(buf(new int[rows * columns], 0, 1, column), t.right(), 1, Op.MAX);
            w.at(t.right(), 2, 1, column).accumulate(buf(row), Op.SUM);
            w.fence();
            for (int i = 0; i < rows; i++) {
                Check.same(2L * (i + 1), w.memory().getAtIndex(ValueLayout.JAVA_INT, 4 * i + 2), "the sum " + i);
            }
            w.fence();
        }
    }

    private static List<Integer> boxed(int[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    /// Origins that are not contiguous in the Java heap.
    @Contract
    public static void matricesBooleansAndRecords(Trial t) {
        record Point(int x, double y) {}
        try (Window w = Window.allocate(t.world(), 256)) {
            double[][] matrix = {{1, 2}, {3, t.rank()}}, matrixGot = new double[2][2];
            boolean[] flags = {true, false, true}, flagsGot = new boolean[3];
            Point[] points = {new Point(t.rank(), 0.5), new Point(2, 1.5)}, pointsGot = new Point[2];
            w.fence();
            w.put(buf(matrix), t.right(), 0);
            w.put(buf(flags), t.right(), 100);
            w.put(buf(points), t.right(), 128);
            w.fence();
            w.get(buf(matrixGot), t.right(), 0);
            w.get(buf(flagsGot), t.right(), 100);
            w.get(buf(pointsGot), t.right(), 128);
            w.fence();
            Check.that(Arrays.deepEquals(matrix, matrixGot), "matrix " + Arrays.deepToString(matrixGot));
            Check.that(Arrays.equals(flags, flagsGot), "flags " + Arrays.toString(flagsGot));
            Check.that(Arrays.equals(points, pointsGot), "points " + Arrays.toString(pointsGot));
        }
    }

    @Contract
    public static void accessRequestsComplete(Trial t) {
        try (Window w = Window.allocate(t.world(), 64, 8)) {
            Datatype two = Datatype.LONG.vector(2, 1, 2);
            long[] got = new long[1], twoGot = new long[2];
            w.lockAll();
            try (var all = t.mpi()
                    .requests(
                            w.rput(buf(new long[] {5}), t.right(), 0),
                            w.at(t.right(), 1, 1, two).rput(buf(new long[] {6, 7})))) {
                all.awaitAll();
            }
            w.flush(t.right());
            w.raccumulate(buf(new long[] {1}), t.right(), 0, Op.SUM).await();
            w.at(t.right(), 1, 1, two)
                    .raccumulate(buf(new long[] {1, 1}), Op.SUM)
                    .await();
            Request fetch = w.rgetAccumulate(buf(new long[] {1}), buf(got), t.right(), 0, Op.SUM);
            Check.that(fetch.test(), "a flushed access is incomplete");
            Check.same(6, got[0], "fetched value");
            w.at(t.right(), 1, 1, two)
                    .rgetAccumulate(buf(new long[] {1, 1}), buf(twoGot), Op.SUM)
                    .await();
            Check.same(8, twoGot[1], "second fetched value");
            w.rget(buf(got), t.right(), 0).await();
            Check.same(7, got[0], "value from get");
            w.at(t.right(), 1, 1, two).rget(buf(twoGot)).await();
            Check.same(9, twoGot[1], "second value from get");
            w.unlockAll();
            t.world().barrier();
        }
    }

    @Contract
    public static void procNullTargetIsIgnored(Trial t) {
        try (Window w = Window.allocate(t.world(), 8, 8)) {
            long[] x = {77};
            w.put(buf(x), Comm.PROC_NULL);
            w.get(buf(x), Comm.PROC_NULL, 1000);
            w.accumulate(buf(x), Comm.PROC_NULL, Op.SUM);
            w.rget(buf(x), Comm.PROC_NULL, 0).await();
            Check.same(77, x[0], "buffer after get from PROC_NULL");
            Check.same(0, w.at(Comm.PROC_NULL, 0).fetchAndAdd(5L), "fetchAndAdd at PROC_NULL");
            Check.same(0, w.at(Comm.PROC_NULL, 0).compareAndSwap(0L, 5L), "compareAndSwap at PROC_NULL");
        }
    }

    /// The data is longer than the buffer for layouts, and takes longer than a lock may be held at a time.
    @Contract(maxRanks = 4, slow = true)
    public static void longAccesses(Trial t) {
        int n = 100_003;
        Datatype every = Datatype.DOUBLE.vector(n, 1, 2);
        try (Window w = Window.allocate(t.world(), 16L * n, 8)) {
            double[] ones = new double[n], spread = new double[2 * n];
            Arrays.fill(ones, 1);
            Arrays.fill(spread, 2);
            w.fence();
            for (int r = 0; r < t.size(); r++) {
                w.at(r, 1, 1, every).accumulate(buf(ones), Op.SUM);
                w.at(r, 0, 1, every).accumulate(buf(spread, 0, 1, every), Op.SUM);
            }
            w.fence();
            for (int i = 0; i < n; i++) {
                Check.that(w.memory().getAtIndex(ValueLayout.JAVA_DOUBLE, 2L * i) == 2 * t.size(), "element " + 2 * i);
                Check.that(w.memory().getAtIndex(ValueLayout.JAVA_DOUBLE, 2L * i + 1) == t.size(), "after " + 2 * i);
            }
            double[] got = new double[2 * n];
            w.at(t.right(), 1, 1, every).get(buf(got, 0, 1, every));
            for (int i = 0; i < n; i++) Check.that(got[2 * i] == t.size() && got[2 * i + 1] == 0, "got " + i);
            w.fence();
        }
    }

    /// Uses a window on a communicator of one rank.
    @Contract
    public static void aWindowOfOneRank(Trial t) {
        try (Window w = Window.allocate(t.mpi().self(), 16, 8)) {
            w.fence();
            w.put(buf(new long[] {t.rank() + 1L}), 0, 1);
            w.fence();
            Check.same(t.rank() + 1, w.memory().getAtIndex(ValueLayout.JAVA_LONG, 1), "data put");
            w.lock(0);
            Check.same(t.rank() + 1, w.at(0, 1).fetchAndAdd(5L), "fetched value");
            w.unlock(0);
        }
    }
}
