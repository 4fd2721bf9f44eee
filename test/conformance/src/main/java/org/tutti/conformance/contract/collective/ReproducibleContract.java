package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.ExactSum;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;

/// Reductions with predictable bits. MPI 4.1, section 6.9.1 (advice to users).
public final class ReproducibleContract {
    private ReproducibleContract() {}

    private static final Op SUM = Op.SUM.inRankOrder();

    private static final int[] COUNTS = {0, 1, 7, 1000, 70_000};

    /// Returns numbers with a sum that depends on the order of the additions.
    private static double[] operand(int rank, int count) {
        SplittableRandom random = new SplittableRandom(31L * rank + count);
        double[] x = new double[count];
        for (int i = 0; i < count; i++) x[i] = Math.scalb(random.nextDouble() - 0.5, random.nextInt(80) - 40);
        return x;
    }

    /// Returns the sums `((x0 + x1) + x2) + …` over the ranks below `ranks`.
    private static double[] loop(int ranks, int count) {
        double[] sum = operand(0, count);
        for (int r = 1; r < ranks; r++) {
            double[] x = operand(r, count);
            for (int i = 0; i < count; i++) sum[i] += x[i];
        }
        return sum;
    }

    private static void same(double[] expected, double[] actual, String label) {
        for (int i = 0; i < expected.length; i++) {
            Check.same(
                    Double.doubleToRawLongBits(expected[i]),
                    Double.doubleToRawLongBits(actual[i]),
                    "bits of element " + i + " of " + label);
        }
    }

    @Contract(slow = true)
    public static void rankOrderEqualsAPlainLoop(Trial t) {
        for (int count : COUNTS) {
            double[] out = operand(t.rank(), count);
            double[] expected = loop(t.size(), count);
            double[] in = new double[count];
            t.world().allreduce(buf(out), buf(in), SUM);
            same(expected, in, "allreduce of " + count);
            double[] both = out.clone();
            t.world().allreduce(buf(both), SUM);
            same(expected, both, "in-place allreduce of " + count);
            int root = t.size() / 2;
            double[] atRoot = new double[count];
            t.world().reduce(buf(out), t.rank() == root ? buf(atRoot) : Buf.NONE, SUM, root);
            if (t.rank() == root) same(expected, atRoot, "reduce of " + count);
            both = out.clone();
            t.world().reduce(buf(both), SUM, root);
            same(t.rank() == root ? expected : out, both, "in-place reduce of " + count);
            both = out.clone();
            t.world().scan(buf(both), SUM);
            same(loop(t.rank() + 1, count), both, "in-place scan of " + count);
            t.world().scan(buf(out), buf(in), SUM);
            same(loop(t.rank() + 1, count), in, "scan of " + count);
            both = out.clone();
            t.world().exscan(buf(both), SUM);
            if (t.rank() > 0) same(loop(t.rank(), count), both, "exscan of " + count);
        }
    }

    @Contract
    public static void rankOrderInEveryForm(Trial t) {
        int count = 5000;
        double[] out = operand(t.rank(), count);
        double[] expected = loop(t.size(), count);
        double[] in = new double[count];
        t.world().iallreduce(buf(out), buf(in), SUM).await();
        same(expected, in, "iallreduce");
        try (PersistentRequest r = t.world().allreduceInit(buf(out), buf(in), SUM)) {
            for (int round = 0; round < 3; round++) {
                Arrays.fill(in, 0);
                r.start();
                r.await();
                same(expected, in, "round " + round + " of a persistent allreduce");
            }
        }
        int each = 40;
        double[] all = operand(t.rank(), each * t.size());
        double[] block = new double[each];
        t.world().reduceScatterBlock(buf(all), buf(block), SUM);
        double[] sums = loop(t.size(), each * t.size());
        same(Arrays.copyOfRange(sums, each * t.rank(), each * (t.rank() + 1)), block, "a block of a reduce-scatter");
        t.world().reduceScatterBlock(buf(all), SUM);
        same(
                Arrays.copyOfRange(sums, each * t.rank(), each * (t.rank() + 1)),
                Arrays.copyOf(all, each),
                "a block of a reduce-scatter in place");
        double one = t.world().allreduce(out[0], SUM);
        same(new double[] {expected[0]}, new double[] {one}, "allreduce of a number");
    }

    /// A user-defined operation is applied in rank order, too. Here the result is the last operand.
    @Contract
    public static void rankOrderOfAUserDefinedOperation(Trial t) {
        Op last = Op.ofInt("last", (_, b) -> b).commutative().inRankOrder();
        Check.same(t.size() - 1, t.world().allreduce(t.rank(), last), "the last rank");
        Check.same("MAX in rank order", Op.MAX.inRankOrder().name(), "name of an operation in rank order");
        Check.that(
                Op.MAX.inRankOrder().commutative() == Op.MAX,
                "commutative() of an ordered operation is not the original");
    }

    /// For every distribution of the numbers over the ranks, the result is the exact sum, rounded once.
    @Contract
    public static void exactSumIsIndependentOfDistribution(Trial t) {
        SplittableRandom random = new SplittableRandom(7);
        for (int count : new int[] {0, 1, 5000}) {
            ExactSum[] mine = {new ExactSum(), new ExactSum()};
            BigDecimal exact = BigDecimal.ZERO;
            BigDecimal exactFloats = BigDecimal.ZERO;
            for (int i = 0; i < count; i++) {
                double x = Math.scalb(random.nextDouble() - 0.5, random.nextInt(600) - 300);
                float f = (float) Math.scalb(random.nextDouble() - 0.5, random.nextInt(200) - 120);
                exact = exact.add(new BigDecimal(x));
                exactFloats = exactFloats.add(new BigDecimal(f));
                // uneven parts that depend on the number of ranks
                if (i * 31 % 7 % t.size() != t.rank()) continue;
                mine[0].add(x);
                mine[1].add(f);
            }
            t.world().allreduce(mine);
            same(new double[] {exact.doubleValue()}, new double[] {mine[0].value()}, "an exact sum of " + count);
            Check.same(
                    Float.floatToRawIntBits(exactFloats.floatValue()),
                    Float.floatToRawIntBits(mine[1].floatValue()),
                    "bits of an exact sum of " + count + " floats");
        }
        ExactSum odd = new ExactSum();
        odd.add(t.rank() == 0 ? Double.MAX_VALUE : 0).add(Double.MIN_VALUE);
        odd.add(t.rank() == t.size() - 1 ? -Double.MAX_VALUE : 0);
        t.world().allreduce(odd);
        same(
                new double[] {t.size() * Double.MIN_VALUE},
                new double[] {odd.value()},
                "remainder after large values cancel");
    }
}
