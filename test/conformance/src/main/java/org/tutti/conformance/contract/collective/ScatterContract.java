package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;

/// MPI 4.1, section 6.6. Rank r receives the values of rank r.
public final class ScatterContract {
    private ScatterContract() {}

    private static void scatter(Trial t, Row row, Buf send, Buf recv) {
        row.call(
                () -> t.world().scatter(send, recv, row.root()),
                () -> t.world().iscatter(send, recv, row.root()),
                () -> t.world().scatterInit(send, recv, row.root()));
    }

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            int each = Math.min(row.count(), 100_003 / t.size());
            boolean atRoot = t.rank() == row.root();
            Box.Values all = i -> row.value(i / each, i % each);
            Box.Values mine = i -> row.value(t.rank(), i);
            Box send =
                    Box.of(t, 0, row.sendKind(t), row.type(), each * t.size()).fill(all);
            Box recv = row.recvBox(t, each, mine);
            boolean inPlace = atRoot && row.inPlace();
            scatter(t, row, atRoot ? send.buf() : Buf.NONE, inPlace ? Buf.IN_PLACE : recv.buf());
            if (!inPlace) recv.expect(mine, "scatter " + each + " of " + row);
            send.expect(all, "scatter, send buffer");
        }
    }

    /// Blocks of 0, 1, 2, … elements, in reverse order and with gaps.
    @Contract
    public static void blocksOfDifferentSizeWithGaps(Trial t) {
        for (Row row : Row.of(t).subList(0, 40)) {
            BlockShapes b = new BlockShapes(t, row.count() % 50, row.mixed());
            boolean atRoot = t.rank() == row.root();
            Box.Values mine = i -> row.value(t.rank(), i);
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), b.length).fill(i -> b.expected(row, i));
            Box recv = row.recvBox(t, b.count(t.rank()), mine);
            boolean inPlace = atRoot && row.inPlace();
            scatter(t, row, atRoot ? b.of(send.buf()) : Buf.NONE, inPlace ? Buf.IN_PLACE : recv.buf());
            if (!inPlace) recv.expect(mine, "scatter in blocks, " + row);
        }
    }

    @Contract
    public static void rowsOfAMatrix(Trial t) {
        int n = t.size();
        double[][] all = new double[n][];
        for (int r = 0; r < n; r++) all[r] = new double[] {r, r + 0.5, -r};
        double[] mine = new double[3];
        t.world().scatter(t.rank() == n - 1 ? buf(all) : Buf.NONE, buf(mine), n - 1);
        Check.that(mine[0] == t.rank() && mine[1] == t.rank() + 0.5 && mine[2] == -t.rank(), "row " + t.rank());
    }

    /// The root passes read-only memory, and no rank receives data.
    @Contract
    public static void emptyBlocksAndReadOnlyMemory(Trial t) {
        java.lang.foreign.MemorySegment all =
                java.lang.foreign.MemorySegment.ofArray(new byte[t.size()]).asReadOnly();
        byte[] mine = {5};
        t.world().scatter(t.rank() == 0 ? buf(all) : Buf.NONE, buf(mine), 0);
        Check.same(0, mine[0], "the byte");
        t.world().scatter(t.rank() == 0 ? buf(new int[0]) : Buf.NONE, buf(new int[0]), 0);
    }

    @Contract
    public static void consecutiveCallsFromChangingRoots(Trial t) {
        int n = t.size();
        int[] mine = new int[1];
        for (int i = 0; i < 200; i++) {
            int[] all = new int[n];
            for (int r = 0; r < n; r++) all[r] = i + r;
            t.world().scatter(t.rank() == i % n ? buf(all) : Buf.NONE, buf(mine), i % n);
            Check.same(i + t.rank(), mine[0], "scatter " + i);
        }
    }
}
