package org.tutti.conformance.contract.collective;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.tutti.mpi.Buf.buf;
import static org.tutti.mpi.Buf.complex;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DoubleInt;
import org.tutti.mpi.LongInt;
import org.tutti.mpi.Op;

/// Operations on pairs and complex numbers, operations of the program, and reductions on one rank. MPI 4.1,
/// sections 6.9.4, 6.9.5 and 6.9.7.
public final class ReductionContract {
    private ReductionContract() {}

    /// Returns element `i` of rank `r`, one of four values, so that ties occur.
    private static int value(int r, int i) {
        return (r * 7 + i * 5) % 4 - 1;
    }

    private static int best(int ranks, int i, boolean least) {
        int best = 0;
        for (int r = 1; r < ranks; r++) {
            int order = Integer.compare(value(r, i), value(best, i));
            if (least ? order < 0 : order > 0) best = r;
        }
        return best;
    }

    /// If values are equal, the result is the lowest index.
    @Contract(slow = true)
    public static void minlocAndMaxlocOfEveryPair(Trial t) {
        int n = t.size();
        for (boolean least : new boolean[] {true, false}) {
            Op op = least ? Op.MINLOC : Op.MAXLOC;
            for (int count : new int[] {0, 1, 33, 2000}) {
                double[] d = new double[count];
                long[] l = new long[count];
                float[] f = new float[count];
                int[] v = new int[count];
                int[][] places = new int[4][count];
                for (int i = 0; i < count; i++) {
                    d[i] = value(t.rank(), i);
                    l[i] = (long) value(t.rank(), i) << 40;
                    f[i] = value(t.rank(), i) / 2f;
                    v[i] = value(t.rank(), i);
                    for (int[] p : places) p[i] = t.rank();
                }
                t.world().allreduce(buf(d, places[0]), op);
                t.world().allreduce(buf(l, places[1]), op);
                t.world().allreduce(buf(f, places[2]), op);
                t.world().allreduce(buf(v, places[3]), op);
                for (int i = 0; i < count; i++) {
                    int at = best(n, i, least);
                    for (int k = 0; k < 4; k++) Check.same(at, places[k][i], op + " index " + i + " of type " + k);
                    int x = value(at, i);
                    boolean all = d[i] == x && l[i] == (long) x << 40 && f[i] == x / 2f && v[i] == x;
                    Check.that(all, op + " value " + i);
                }
            }
        }
    }

    @Contract
    public static void pairsInOtherOperations(Trial t) {
        int n = t.size();
        double[] values = {t.rank() == n / 2 ? 9 : t.rank()};
        int[] places = {100 + t.rank()};
        double[] result = {-1};
        int[] where = {-1};
        t.world().reduce(buf(values, places), buf(result, where), Op.MAXLOC, 0);
        if (t.rank() == 0) Check.that(result[0] == 9 && where[0] == 100 + n / 2, "reduce with MAXLOC");
        t.world().scan(buf(values, places), buf(result, where), Op.MINLOC);
        int lowest = n / 2 == 0 && n > 1 ? 1 : 0;
        double expected = lowest == 0 && n / 2 == 0 ? 9 : 0;
        Check.that(result[0] == expected && where[0] == 100, "scan with MINLOC on rank " + t.rank());
        double[] all = new double[n];
        int[] at = new int[n];
        t.world().allgather(buf(values, places), buf(all, at));
        for (int r = 0; r < n; r++) Check.same(100 + r, at[r], "index of rank " + r);
    }

    @Contract
    public static void scalarsWithIndexes(Trial t) {
        int n = t.size();
        DoubleInt d = t.world().maxLoc(t.rank() * 0.5, t.rank());
        Check.same(new DoubleInt((n - 1) * 0.5, n - 1), d, "largest double");
        LongInt l = t.world().minLoc(7L << 40, n - t.rank());
        Check.same(new LongInt(7L << 40, 1), l, "lowest index of equal longs");
        Check.same(new LongInt(0, 5), t.world().minLoc(t.rank(), 5 + t.rank()), "smallest int");
    }

    @Contract
    public static void scalarsToAndFromTheRoot(Trial t) {
        int n = t.size();
        int root = n - 1;
        boolean atRoot = t.rank() == root;
        Check.same(
                atRoot ? OptionalLong.of(n * (n - 1L) / 2) : OptionalLong.empty(),
                t.world().reduce((long) t.rank(), Op.SUM, root),
                "sum of longs");
        Check.same(
                atRoot ? OptionalDouble.of(0.5) : OptionalDouble.empty(),
                t.world().reduce(t.rank() + 0.5, Op.MIN, root),
                "least double");
        Check.that(
                t.world().reduce(t.rank(), Op.MAX, root).isPresent() == atRoot,
                "reduce returns a result off the root, or none on it");
        Check.that(t.world().bcast(t.rank() + 0.25, root) == root + 0.25, "bcast of a double");
        Check.same((long) root << 40, t.world().bcast((long) t.rank() << 40, root), "bcast of a long");
        Check.same(root, t.world().bcast(t.rank(), root), "bcast of an int");
        long[] longs = t.world().allgather((long) t.rank() << 40);
        double[] doubles = t.world().allgather(t.rank() + 0.5);
        int[] ints = t.world().allgather(t.rank());
        for (int r = 0; r < n; r++) {
            Check.that(longs[r] == (long) r << 40 && doubles[r] == r + 0.5 && ints[r] == r, "value of rank " + r);
        }
    }

    /// The sum, and the product of 1, -1, i and -i, which is exact.
    @Contract
    public static void complexNumbers(Trial t) {
        int n = t.size();
        for (int count : new int[] {1, 40, 3000}) {
            double[] x = new double[2 * count];
            float[] y = new float[2 * count];
            for (int i = 0; i < count; i++) {
                x[2 * i] = t.rank();
                x[2 * i + 1] = i;
                y[2 * i + 1] = i % 2 == 0 ? 1 : -1; // i or -i
            }
            t.world().allreduce(complex(x), Op.SUM);
            t.world().allreduce(complex(y), Op.PROD);
            float[] power = {1, 0};
            for (int r = 0; r < n; r++) power = new float[] {-power[1], power[0]};
            for (int i = 0; i < count; i++) {
                Check.that(x[2 * i] == n * (n - 1) / 2.0 && x[2 * i + 1] == (double) n * i, "sum " + i);
                // the conjugate of a product is the product of the conjugates
                float imaginary = i % 2 == 0 ? power[1] : -power[1];
                Check.that(y[2 * i] == power[0] && y[2 * i + 1] == imaginary, "product " + i);
            }
        }
        double[] z = t.rank() == 0 ? new double[] {2, 3} : new double[2];
        t.world().bcast(complex(z), 0);
        Check.that(z[0] == 2 && z[1] == 3, "bcast of 2+3i");
        float[] all = new float[2 * n];
        t.world().allgather(complex(new float[] {t.rank(), -t.rank()}), complex(all));
        for (int r = 0; r < n; r++) Check.that(all[2 * r] == r && all[2 * r + 1] == -r, "number of rank " + r);
    }

    @Contract
    public static void userDefinedOperationsOnBlocks(Trial t) {
        int n = t.size();
        // like the product of 2×2 matrices: associative, not commutative
        Op compose = Op.of("compose", Datatype.DOUBLE_COMPLEX, ReductionContract::compose);
        for (int count : new int[] {1, 20, 20_000}) {
            double[] x = new double[2 * count];
            for (int i = 0; i < count; i++) {
                x[2 * i] = t.rank() % 2 == 0 ? 2 : -1;
                x[2 * i + 1] = t.rank() + i % 7;
            }
            t.world().allreduce(complex(x), compose);
            for (int i = 0; i < count; i++) {
                double y = 5;
                for (int r = 0; r < n; r++) y = (r % 2 == 0 ? 2 : -1) * y + r + i % 7;
                Check.that(x[2 * i] * 5 + x[2 * i + 1] == y, "map " + i + " of " + count);
            }
        }
        Op shorts = Op.of("xor", Datatype.SHORT, (in, inout, k) -> {
                    for (long i = 0; i < 2 * k; i += 2) {
                        short both = (short) (in.get(JAVA_SHORT_UNALIGNED, i) ^ inout.get(JAVA_SHORT_UNALIGNED, i));
                        inout.set(JAVA_SHORT_UNALIGNED, i, both);
                    }
                })
                .commutative();
        short[] s = {(short) (1 << t.rank()), 3};
        t.world().allreduce(buf(s), shorts);
        Check.same((1 << n) - 1, s[0], "xor of different bits");
        Check.same(n % 2 == 0 ? 0 : 3, s[1], "xor of the same bits");
        float[] f = {t.rank(), -t.rank()};
        t.world().allreduce(buf(f), Op.ofFloat("least", Math::min).commutative());
        Check.that(f[0] == 0 && f[1] == 1 - n, "user-defined operation on floats");
    }

    /// Composes maps `x ↦ ax + b`: applies the maps of `in` first, then the maps of `inout`.
    private static void compose(MemorySegment in, MemorySegment inout, long count) {
        for (long at = 0; at < 16 * count; at += 16) {
            double a = in.get(JAVA_DOUBLE_UNALIGNED, at);
            double b = in.get(JAVA_DOUBLE_UNALIGNED, at + 8);
            double c = inout.get(JAVA_DOUBLE_UNALIGNED, at);
            inout.set(JAVA_DOUBLE_UNALIGNED, at, a * c);
            inout.set(JAVA_DOUBLE_UNALIGNED, at + 8, c * b + inout.get(JAVA_DOUBLE_UNALIGNED, at + 8));
        }
    }

    @Contract
    public static void reduceLocal(Trial t) {
        int[] inout = {1, 2, 3};
        Op.SUM.reduceLocal(buf(new int[] {10, 20, 30}), buf(inout));
        Check.same("[11, 22, 33]", Arrays.toString(inout), "sum");
        boolean[] flags = {true, false};
        Op.LAND.reduceLocal(buf(new boolean[] {true, true}), buf(flags));
        Check.same("[true, false]", Arrays.toString(flags), "and");
        double[] values = {3, 1};
        int[] places = {7, 7};
        Op.MINLOC.reduceLocal(buf(new double[] {3, 2}, new int[] {5, 5}), buf(values, places));
        Check.same("[3.0, 1.0][5, 7]", Arrays.toString(values) + Arrays.toString(places), "least with places");
        double[][] rows = {{1}, {2, 3}};
        MemorySegment in = Arena.ofAuto().allocate(24, 8);
        for (int i = 0; i < 3; i++) in.setAtIndex(java.lang.foreign.ValueLayout.JAVA_DOUBLE, i, 10 - i);
        Op.ofDouble("minus", (a, b) -> a - b).reduceLocal(buf(in, Datatype.DOUBLE), buf(rows));
        Check.same("[[9.0], [7.0, 5.0]]", Arrays.deepToString(rows), "the left operand minus the right one");
    }
}
