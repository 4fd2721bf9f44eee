package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

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

/// MPI 4.1, section 6.9.1.
public final class ReduceContract {
    private ReduceContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            List<Op> ops = Plain.opsOf(row.type());
            Op op = ops.get(t.random().nextInt(ops.size()));
            boolean atRoot = t.rank() == row.root();
            Box.Values mine = i -> row.value(t.rank(), i);
            Box.Values expected = i -> Plain.reduced(row.type(), op, row.salt(), t.size(), i);
            Box send = row.sendBox(t);
            String label = "reduce " + op + " " + row;
            if (row.inPlace()) {
                Buf sent = atRoot ? Buf.IN_PLACE : send.buf(), into = atRoot ? send.buf() : Buf.NONE;
                row.call(
                        () -> t.world().reduce(send.buf(), op, row.root()),
                        () -> t.world().ireduce(sent, into, op, row.root()),
                        () -> t.world().reduceInit(sent, into, op, row.root()));
                send.expect(atRoot ? expected : mine, label);
            } else {
                Box recv = row.recvBox(t, row.count(), expected);
                Buf into = atRoot ? recv.buf() : Buf.NONE;
                row.call(
                        () -> t.world().reduce(send.buf(), into, op, row.root()),
                        () -> t.world().ireduce(send.buf(), into, op, row.root()),
                        () -> t.world().reduceInit(send.buf(), into, op, row.root()));
                recv.expect(atRoot ? expected : i -> Plain.other(row.type(), expected.at(i)), label);
                send.expect(mine, label + ", the operand");
            }
        }
    }

    @Contract
    public static void inPlaceAtTheRootOfLongs(Trial t) {
        long[] x = {t.rank() + 1};
        boolean atRoot = t.rank() == t.size() - 1;
        t.world().reduce(atRoot ? Buf.IN_PLACE : buf(x), atRoot ? buf(x) : Buf.NONE, Op.SUM, t.size() - 1);
        Check.same(atRoot ? (long) t.size() * (t.size() + 1) / 2 : t.rank() + 1, x[0], "sum");
    }

    @Contract
    public static void rankOrderIsIndependentOfTheRoot(Trial t) {
        for (int root = 0; root < t.size(); root++) {
            boolean atRoot = t.rank() == root;
            for (int count : new int[] {1, 10, 5000, 40_000}) {
                long[] x = AffineMaps.of(t.rank(), count), composed = new long[count];
                t.world().reduce(buf(x), atRoot ? buf(composed) : Buf.NONE, AffineMaps.COMPOSE, root);
                if (atRoot) AffineMaps.expectAll(t.size(), composed, "reduce to " + root);
                t.world().reduce(buf(x), AffineMaps.COMPOSE, root);
                if (atRoot) AffineMaps.expectAll(t.size(), x, "reduce in place to " + root);
            }
        }
    }
}
