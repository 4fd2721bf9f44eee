package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.AffineMaps;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Op;

/// MPI 4.1, section 6.10.
public final class ReduceScatterContract {
    private ReduceScatterContract() {}

    @Contract(slow = true)
    public static void equalBlocksOfEveryType(Trial t) {
        for (Row row : Row.of(t)) {
            int each = Math.min(row.count(), 100_003 / t.size());
            Op op = anyOp(t, row);
            Box send =
                    Box.of(t, 0, row.sendKind(t), row.type(), each * t.size()).fill(i -> row.value(t.rank(), i));
            Box.Values expected = i -> Plain.reduced(row.type(), op, row.salt(), t.size(), t.rank() * each + i);
            String label = "reduceScatterBlock " + op + " " + each + " of " + row;
            if (row.inPlace()) {
                row.call(
                        () -> t.world().reduceScatterBlock(send.buf(), op),
                        () -> t.world().ireduceScatterBlock(Buf.IN_PLACE, send.buf(), op),
                        () -> t.world().reduceScatterBlockInit(Buf.IN_PLACE, send.buf(), op));
                expectBeginning(send, each, expected, label);
            } else {
                Box recv = row.recvBox(t, each, expected);
                row.call(
                        () -> t.world().reduceScatterBlock(send.buf(), recv.buf(), op),
                        () -> t.world().ireduceScatterBlock(send.buf(), recv.buf(), op),
                        () -> t.world().reduceScatterBlockInit(send.buf(), recv.buf(), op));
                recv.expect(expected, label);
                send.expect(i -> row.value(t.rank(), i), label + ", the operand");
            }
        }
    }

    /// The block lengths of a call are 0, 1 and 2 times the same number of elements.
    @Contract
    public static void blocksOfDifferentSize(Trial t) {
        for (Row row : Row.of(t).subList(0, 50)) {
            long[] counts = BlockShapes.lengths(t.size(), row.count() % 300);
            Op op = anyOp(t, row);
            int all = (int) Arrays.stream(counts).sum();
            int before = (int) Arrays.stream(counts, 0, t.rank()).sum();
            int mine = (int) counts[t.rank()];
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), all).fill(i -> row.value(t.rank(), i));
            Box.Values expected = i -> Plain.reduced(row.type(), op, row.salt(), t.size(), before + i);
            Buf operand = send.buf().blocks(counts);
            String label = "reduceScatter " + op + " " + row;
            if (row.inPlace()) {
                row.call(
                        () -> t.world().reduceScatter(operand, op),
                        () -> t.world().ireduceScatter(Buf.IN_PLACE, operand, op),
                        () -> t.world().reduceScatterInit(Buf.IN_PLACE, operand, op));
                expectBeginning(send, mine, expected, label);
            } else {
                Box recv = row.recvBox(t, mine, expected);
                row.call(
                        () -> t.world().reduceScatter(operand, recv.buf(), op),
                        () -> t.world().ireduceScatter(operand, recv.buf(), op),
                        () -> t.world().reduceScatterInit(operand, recv.buf(), op));
                recv.expect(expected, label);
                send.expect(i -> row.value(t.rank(), i), label + ", the operand");
            }
        }
    }

    private static Op anyOp(Trial t, Row row) {
        List<Op> ops = Plain.opsOf(row.type());
        return ops.get(t.random().nextInt(ops.size()));
    }

    /// Checks the first `count` elements. The elements after the result are undefined.
    private static void expectBeginning(Box box, int count, Box.Values expected, String label) {
        box.expect(i -> i < count ? expected.at(i) : box.get(i), label);
    }

    @Contract
    public static void inRankOrder(Trial t) {
        int n = t.size();
        for (int each : new int[] {1, 10, 3000, 20_000}) {
            for (boolean inPlace : new boolean[] {false, true}) {
                long[] x = AffineMaps.of(t.rank(), each * n);
                long[] y = new long[each];
                if (inPlace) t.world().reduceScatterBlock(buf(x), AffineMaps.COMPOSE);
                else t.world().reduceScatterBlock(buf(x), buf(y), AffineMaps.COMPOSE);
                AffineMaps.expectAll(
                        n, t.rank() * each, inPlace ? Arrays.copyOf(x, each) : y, "reduceScatterBlock of " + each);
            }
        }
    }

    /// The call works in several slices. One rank has nearly all elements.
    @Contract
    public static void longBlocks(Trial t) {
        int n = t.size();
        long[] counts = new long[n];
        Arrays.fill(counts, 3);
        counts[n / 2] = 200_000;
        int before = (int) Arrays.stream(counts, 0, t.rank()).sum();
        long[] x = new long[3 * (n - 1) + 200_000];
        for (int i = 0; i < x.length; i++) x[i] = (long) i * (t.rank() + 1);
        long[] y = new long[(int) counts[t.rank()]];
        t.world().reduceScatter(buf(x).blocks(counts), buf(y), Op.SUM);
        t.world().reduceScatter(buf(x).blocks(counts), Op.SUM);
        for (int i = 0; i < y.length; i++) {
            Check.same((long) (before + i) * n * (n + 1) / 2, y[i], "element ", i);
            Check.same(y[i], x[i], "element in place ", i);
        }
    }

    @Contract
    public static void manyConsecutiveCalls(Trial t) {
        int n = t.size();
        int[] x = new int[n];
        int[] y = new int[1];
        for (int i = 0; i < 200; i++) {
            for (int r = 0; r < n; r++) x[r] = i + r;
            t.world().reduceScatterBlock(buf(x), buf(y), Op.SUM);
            Check.same((long) n * (i + t.rank()), y[0], "sum " + i);
        }
    }
}
