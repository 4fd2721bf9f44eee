package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Message;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Pairs of a value and an index, MPI 4.1, section 6.9.4. `DOUBLE_INT` and `LONG_INT` have 12 bytes in messages
/// and an extent of 16 bytes in memory.
public final class PairContract {
    private static final int COUNT = 3;

    private PairContract() {}

    @Contract(maxRanks = 1)
    public static void sizeAndExtent(Trial t) {
        for (Datatype pair : List.of(Datatype.DOUBLE_INT, Datatype.LONG_INT)) {
            Check.same(12, pair.sizeBytes(), "size of " + pair);
            Check.same(16, pair.extent(), "extent of " + pair);
            Check.same(12, pair.trueExtent(), "true extent of " + pair);
            Check.same(24, pair.contiguous(2).sizeBytes(), "size of two");
            Check.same(28, pair.contiguous(2).trueExtent(), "true extent of two");
            Check.same(32, pair.contiguous(2).extent(), "extent of two");
            Datatype mixed = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, pair);
            Check.same(16, mixed.sizeBytes(), "size of INT and " + pair);
            Check.same(20, mixed.trueExtent(), "true extent of INT and " + pair);
        }
        for (Datatype pair : List.of(Datatype.FLOAT_INT, Datatype.INT_INT)) {
            Check.same(8, pair.sizeBytes(), "size of " + pair);
            Check.same(8, pair.extent(), "extent of " + pair);
            Check.same(8, pair.trueExtent(), "true extent of " + pair);
        }
    }

    /// The statuses of receives, probes and matched probes return the same count.
    @Contract
    public static void statusesCountPairs(Trial t) {
        double[] values = new double[COUNT + 1];
        int[] places = new int[COUNT + 1];
        for (int tag = 0; tag < 3; tag++) {
            Request sent = t.world().isend(pairs(t.rank()), t.right(), tag);
            Arrays.fill(values, -1);
            Arrays.fill(places, -1);
            Status s;
            switch (tag) {
                case 0 -> s = t.world().recv(buf(values, places), t.left(), tag);
                case 1 -> {
                    s = t.world().probe(t.left(), Comm.ANY_TAG);
                    t.world().recv(buf(values, places), t.left(), tag);
                }
                default -> {
                    Message m = t.world().mprobe(t.left(), tag);
                    s = m.status();
                    m.recv(buf(values, places));
                }
            }
            sent.await();
            Check.same(COUNT, s.count(Datatype.DOUBLE_INT), "pairs, tag " + tag);
            Check.same(12L * COUNT, s.sizeBytes(), "bytes, tag " + tag);
            for (int i = 0; i < COUNT; i++) {
                Check.that(values[i] == t.left() + i / 4.0, "value " + i + " is " + values[i]);
                Check.same(10 * t.left() + i, places[i], "place " + i);
            }
            Check.that(values[COUNT] == -1 && places[COUNT] == -1, "elements after the message");
        }
    }

    /// Collective calls work with pairs, too.
    @Contract
    public static void collectiveCallsOfPairs(Trial t) {
        int n = t.size();
        double[] values = new double[n * COUNT];
        int[] places = new int[n * COUNT];
        t.world().allgather(pairs(t.rank()), buf(values, places));
        for (int r = 0; r < n; r++) {
            for (int i = 0; i < COUNT; i++) {
                Check.that(values[r * COUNT + i] == r + i / 4.0, "value " + i + " of rank " + r);
                Check.same(10 * r + i, places[r * COUNT + i], "index " + i + " of rank " + r);
            }
        }
    }

    private static Buf pairs(int rank) {
        double[] values = new double[COUNT];
        int[] places = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = rank + i / 4.0;
            places[i] = 10 * rank + i;
        }
        return buf(values, places);
    }
}
