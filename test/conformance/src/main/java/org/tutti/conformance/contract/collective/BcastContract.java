package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;

/// MPI 4.1, section 6.4.
public final class BcastContract {
    private BcastContract() {}

    @Contract
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            Box.Values expected = i -> row.value(row.root(), i);
            Box box = t.rank() == row.root() ? row.sendBox(t) : row.recvBox(t, row.count(), expected);
            row.call(
                    () -> t.world().bcast(box.buf(), row.root()),
                    () -> t.world().ibcast(box.buf(), row.root()),
                    () -> t.world().bcastInit(box.buf(), row.root()));
            box.expect(expected, "bcast " + row);
        }
    }

    @Contract
    public static void consecutiveCallsFromChangingRoots(Trial t) {
        int[] x = new int[3];
        for (int i = 0; i < 300; i++) {
            int root = i % t.size();
            x[0] = t.rank() == root ? i : -1;
            t.world().bcast(buf(x), root);
            Check.same(i, x[0], "bcast " + i);
        }
    }

    /// The root passes read-only memory.
    @Contract
    public static void rootMayPassReadOnlyMemory(Trial t) {
        byte[] x = new byte[100];
        if (t.rank() == 0) x[99] = 7;
        t.world().bcast(t.rank() == 0 ? buf(MemorySegment.ofArray(x).asReadOnly()) : buf(x), 0);
        Check.same(7, x[99], "the last byte");
    }
}
