package org.tutti.conformance.contract.collective;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.conformance.trial.AffineMaps;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// MPI 4.1, section 6.9.6.
public final class AllreduceContract {
    private AllreduceContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            List<Op> ops = Plain.opsOf(row.type());
            Op op = ops.get(t.random().nextInt(ops.size()));
            Box.Values expected = i -> Plain.reduced(row.type(), op, row.salt(), t.size(), i);
            Box send = row.sendBox(t);
            String label = "allreduce " + op + " " + row;
            if (row.inPlace()) {
                row.call(
                        () -> t.world().allreduce(send.buf(), op),
                        () -> t.world().iallreduce(Buf.IN_PLACE, send.buf(), op),
                        () -> t.world().allreduceInit(Buf.IN_PLACE, send.buf(), op));
                send.expect(expected, label);
            } else {
                Box recv = row.recvBox(t, row.count(), expected);
                row.call(
                        () -> t.world().allreduce(send.buf(), recv.buf(), op),
                        () -> t.world().iallreduce(send.buf(), recv.buf(), op),
                        () -> t.world().allreduceInit(send.buf(), recv.buf(), op));
                recv.expect(expected, label);
                send.expect(i -> row.value(t.rank(), i), label + ", the operand");
            }
        }
    }

    @Contract
    public static void everyOperationOfEveryType(Trial t) {
        for (Datatype type : Plain.TYPES) {
            for (Op op : Plain.OPS) {
                if (!op.supports(type)) continue;
                long salt = t.random().nextLong();
                for (int count : new int[] {1, 37}) {
                    Box x = Box.of(t, 0, MemoryKind.SLICE, type, count);
                    x.fill(i -> Plain.value(type, salt, t.rank(), i));
                    t.world().allreduce(x.buf(), op);
                    x.expect(i -> Plain.reduced(type, op, salt, t.size(), i), "allreduce " + op);
                }
            }
        }
    }

    @Contract
    public static void scalars(Trial t) {
        int n = t.size();
        Check.same(n * (n - 1) / 2, t.world().allreduce(t.rank(), Op.SUM), "sum of ints");
        Check.same((n - 1L) << 40, t.world().allreduce((long) t.rank() << 40, Op.MAX), "max of longs");
        Check.that(t.world().allreduce(t.rank() + 0.25, Op.MIN) == 0.25, "min of doubles");
        Check.same((n - 1) % 2, t.world().allreduce(t.rank() == 0 ? 0 : 1, Op.LXOR), "lxor of ints");
    }

    @Contract
    public static void userDefinedCommutativeOperations(Trial t) {
        Op hypot = Op.ofDouble("hypot", Math::hypot).commutative();
        Check.that(hypot.isCommutative(), "hypot is not commutative");
        double expected = 0;
        for (int r = 0; r < t.size(); r++) expected += (r + 1.0) * (r + 1.0);
        for (int count : new int[] {1, 3, 20_000}) {
            double[] x = new double[count];
            java.util.Arrays.fill(x, t.rank() + 1);
            t.world().allreduce(buf(x), hypot);
            for (double v : x) {
                Check.that(Math.abs(v - Math.sqrt(expected)) < 1e-9, "hypot of all ranks is " + v);
            }
        }
        int gcd = t.world()
                .allreduce(
                        12 * (t.rank() + 1),
                        Op.ofInt("gcd", AllreduceContract::gcd).commutative());
        Check.same(12, gcd, "gcd");
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    @Contract
    public static void userDefinedOperationsInRankOrder(Trial t) {
        for (int count : new int[] {1, 2, 100, 5000, 40_000}) {
            long[] x = AffineMaps.of(t.rank(), count);
            long[] y = new long[count];
            t.world().allreduce(buf(x), buf(y), AffineMaps.COMPOSE);
            AffineMaps.expectAll(t.size(), y, "allreduce of " + count);
        }
    }

    /// Rounded sums have the same bits on all ranks and in each repetition.
    @Contract
    public static void sameBitsOnAllRanks(Trial t) {
        for (int count : new int[] {1, 1000, 60_000}) {
            double[] x = new double[count];
            for (int i = 0; i < count; i++) x[i] = 1.0 / (1 + i + 1000.0 * t.rank());
            double[] sum = new double[count];
            double[] again = new double[count];
            t.world().allreduce(buf(x), buf(sum), Op.SUM);
            t.world().allreduce(buf(x), buf(again), Op.SUM);
            Check.that(java.util.Arrays.equals(sum, again), "the same sum twice differs");
            long hash = java.util.Arrays.hashCode(sum);
            Check.same(hash, t.world().allreduce(hash, Op.MAX), "hash of the sum against the largest of all ranks");
        }
    }

    @Contract
    public static void manyConsecutiveCalls(Trial t) {
        int n = t.size();
        for (int i = 0; i < 500; i++) {
            Check.same((long) i * n + n * (n - 1L) / 2, t.world().allreduce((long) i + t.rank(), Op.SUM), "sum " + i);
        }
    }

    /// The part of the receive buffer beyond the operand does not change.
    @Contract
    public static void longerReceiveBuffer(Trial t) {
        int[] y = {-1, -2, -3, -4};
        t.world().allreduce(buf(new int[] {1, 2}), buf(y), Op.SUM);
        Check.same(java.util.List.of(t.size(), 2 * t.size(), -3, -4).toString(), java.util.Arrays.toString(y), "sum");
    }

    /// MAXLOC on shared memory, and a non-commutative operation in place on an array, with odd and even numbers
    /// of elements. Operand and result are overwritten immediately after the call.
    @Contract
    public static void longBuffersMayBeReusedAfterTheCall(Trial t) {
        Op firstAndLast = Op.ofLong("first and last", (a, b) -> a >>> 32 << 32 | b & 0xffffffffL);
        int last = t.size() - 1;
        for (int n : new int[] {1025, 20_001, 50_000}) {
            MemorySegment pairs = t.alloc(0, 16L * n);
            MemorySegment best = t.alloc(1, 16L * n);
            for (int again = 0; again < 3; again++) {
                for (int i = 0; i < n; i++) {
                    pairs.set(JAVA_LONG, 16L * i, (t.rank() + i + again) % t.size());
                    pairs.set(JAVA_INT, 16L * i + 8, t.rank());
                }
                t.world().allreduce(buf(pairs, Datatype.LONG_INT), buf(best, Datatype.LONG_INT), Op.MAXLOC);
                pairs.fill((byte) -1);
                for (int i = 0; i < n; i++) {
                    Check.same(last, best.get(JAVA_LONG, 16L * i), "the largest of pair ", i);
                    int where = Math.floorMod(last - i - again, t.size());
                    Check.same(where, best.get(JAVA_INT, 16L * i + 8), "index in pair ", i);
                }
                best.fill((byte) -1);

                long[] x = new long[n];
                for (int i = 0; i < n; i++) x[i] = (t.rank() + 1L) << 32 | t.rank() + i;
                t.world().allreduce(buf(x), firstAndLast);
                for (int i = 0; i < n; i++) Check.same(1L << 32 | last + i, x[i], "element in place ", i);
            }
        }
    }
}
