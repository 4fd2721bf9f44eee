package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.tutti.conformance.trial.AffineMaps;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Op;

/// Scan and exscan. MPI 4.1, section 6.11.
public final class ScanContract {
    private ScanContract() {}

    @Contract(slow = true)
    public static void scanOfEveryType(Trial t) {
        for (Row row : Row.of(t)) {
            List<Op> ops = Plain.opsOf(row.type());
            Op op = ops.get(t.random().nextInt(ops.size()));
            Box.Values expected = i -> Plain.reduced(row.type(), op, row.salt(), t.rank() + 1, i);
            Box send = row.sendBox(t);
            String label = "scan " + op + " " + row;
            if (row.inPlace()) {
                row.call(
                        () -> t.world().scan(send.buf(), op),
                        () -> t.world().iscan(Buf.IN_PLACE, send.buf(), op),
                        () -> t.world().scanInit(Buf.IN_PLACE, send.buf(), op));
                send.expect(expected, label);
            } else {
                Box recv = row.recvBox(t, row.count(), expected);
                row.call(
                        () -> t.world().scan(send.buf(), recv.buf(), op),
                        () -> t.world().iscan(send.buf(), recv.buf(), op),
                        () -> t.world().scanInit(send.buf(), recv.buf(), op));
                recv.expect(expected, label);
                send.expect(i -> row.value(t.rank(), i), label + ", the operand");
            }
        }
    }

    /// The receive buffer of rank 0 does not change.
    @Contract
    public static void exscanOfEveryType(Trial t) {
        for (Row row : Row.of(t)) {
            List<Op> ops = Plain.opsOf(row.type());
            Op op = ops.get(t.random().nextInt(ops.size()));
            Box.Values mine = i -> row.value(t.rank(), i);
            Box.Values expected = t.rank() == 0
                    ? i -> Plain.other(row.type(), mine.at(i))
                    : i -> Plain.reduced(row.type(), op, row.salt(), t.rank(), i);
            Box send = row.sendBox(t);
            String label = "exscan " + op + " " + row;
            if (row.inPlace()) {
                row.call(
                        () -> t.world().exscan(send.buf(), op),
                        () -> t.world().iexscan(Buf.IN_PLACE, send.buf(), op),
                        () -> t.world().exscanInit(Buf.IN_PLACE, send.buf(), op));
                send.expect(t.rank() == 0 ? mine : expected, label);
            } else {
                Box recv = Box.of(t, 1, row.recvKind(t), row.type(), row.count());
                recv.fill(i -> t.rank() == 0 ? expected.at(i) : Plain.other(row.type(), expected.at(i)));
                row.call(
                        () -> t.world().exscan(send.buf(), recv.buf(), op),
                        () -> t.world().iexscan(send.buf(), recv.buf(), op),
                        () -> t.world().exscanInit(send.buf(), recv.buf(), op));
                recv.expect(expected, label);
                send.expect(mine, label + ", the operand");
            }
        }
    }

    @Contract
    public static void inRankOrder(Trial t) {
        for (int count : new int[] {1, 2, 100, 5000, 40_000}) {
            long[] x = AffineMaps.of(t.rank(), count);
            long[] y = new long[count];
            t.world().scan(buf(x), buf(y), AffineMaps.COMPOSE);
            AffineMaps.expectAll(t.rank() + 1, y, "scan of " + count);
            Arrays.fill(y, 7);
            t.world().exscan(buf(x), buf(y), AffineMaps.COMPOSE);
            if (t.rank() > 0) AffineMaps.expectAll(t.rank(), y, "exscan of " + count);
            else Check.that(Arrays.stream(y).allMatch(v -> v == 7), "exscan changed the result of rank 0");
        }
    }

    @Contract
    public static void scalars(Trial t) {
        int r = t.rank();
        Check.same(r * (r + 1) / 2, t.world().scan(r, Op.SUM), "scan of ints");
        Check.same((long) r << 40, t.world().scan((long) r << 40, Op.MAX), "scan of longs");
        Check.that(t.world().scan(-r + 0.5, Op.MIN) == -r + 0.5, "scan of doubles");
        OptionalLong before = t.world().exscan(10L * r + 1, Op.SUM);
        Check.that(before.isPresent() == r > 0, "exscan returns a value on rank 0, or none on a higher rank");
        Check.same(5L * r * (r - 1) + r, before.orElse(0), "exscan of longs");
        Check.same(r > 0 ? OptionalInt.of(0) : OptionalInt.empty(), t.world().exscan(r, Op.PROD), "exscan of ints");
        Check.that(t.world().exscan(r + 0.5, Op.MAX).orElse(-1) == (r > 0 ? r - 0.5 : -1), "exscan of doubles");
    }

    @Contract
    public static void manyConsecutiveCalls(Trial t) {
        int r = t.rank();
        for (int i = 0; i < 200; i++) {
            Check.same((long) i * (r + 1) + r * (r + 1L) / 2, t.world().scan((long) i + r, Op.SUM), "scan " + i);
        }
    }
}
