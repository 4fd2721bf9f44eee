package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.ErrorClass;

/// MPI 4.1, section 6.5.
public final class GatherContract {
    private GatherContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            int each = Math.min(row.count(), 100_003 / t.size());
            boolean atRoot = t.rank() == row.root();
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), each).fill(i -> row.value(t.rank(), i));
            Box.Values all = i -> row.value(i / each, i % each);
            Box recv = row.recvBox(t, each * t.size(), all);
            Buf from = send.buf();
            if (atRoot && row.inPlace()) {
                for (int i = 0; i < each; i++) recv.set(t.rank() * each + i, row.value(t.rank(), i));
                from = Buf.IN_PLACE;
            }
            Buf sent = from;
            Buf into = atRoot ? recv.buf() : Buf.NONE;
            row.call(
                    () -> t.world().gather(sent, into, row.root()),
                    () -> t.world().igather(sent, into, row.root()),
                    () -> t.world().gatherInit(sent, into, row.root()));
            if (atRoot) recv.expect(all, "gather " + each + " of " + row);
            send.expect(i -> row.value(t.rank(), i), "gather, send buffer");
        }
    }

    /// Blocks of 0, 1, 2, … elements, in reverse order and with gaps.
    @Contract
    public static void blocksOfDifferentSizeWithGaps(Trial t) {
        for (Row row : Row.of(t).subList(0, 40)) {
            BlockShapes b = new BlockShapes(t, row.count() % 50, row.mixed());
            boolean atRoot = t.rank() == row.root();
            int mine = (int) b.counts[t.rank()];
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), mine).fill(i -> row.value(t.rank(), i));
            Box recv = Box.of(t, 1, row.recvKind(t), row.type(), b.length).fill(i -> row.value(-1, i));
            Buf from = send.buf();
            if (atRoot && row.inPlace()) {
                for (int i = 0; i < mine; i++) recv.set((int) b.displacements[t.rank()] + i, row.value(t.rank(), i));
                from = Buf.IN_PLACE;
            }
            Buf sent = from;
            Buf into = atRoot ? recv.buf().blocks(b.counts, b.displacements) : Buf.NONE;
            row.call(
                    () -> t.world().gather(sent, into, row.root()),
                    () -> t.world().igather(sent, into, row.root()),
                    () -> t.world().gatherInit(sent, into, row.root()));
            if (atRoot) recv.expect(i -> b.expected(row, i), "gather in blocks, " + row);
        }
    }

    @Contract
    public static void contiguousBlocks(Trial t) {
        int n = t.size();
        int[] counts = new int[n];
        for (int r = 0; r < n; r++) counts[r] = r + 1;
        double[] mine = new double[t.rank() + 1];
        java.util.Arrays.fill(mine, t.rank());
        double[] all = new double[n * (n + 1) / 2];
        t.world().gather(buf(mine), t.rank() == 0 ? buf(all).blocks(counts) : Buf.NONE, 0);
        if (t.rank() != 0) return;
        for (int r = 0, at = 0; r < n; r++) {
            for (int i = 0; i <= r; i++) Check.that(all[at++] == r, "block of rank " + r);
        }
    }

    /// Either no rank has data, or only the root has data.
    @Contract
    public static void emptyBlocks(Trial t) {
        int[] none = new int[t.size()];
        t.world().gather(buf(new int[0]), t.rank() == 0 ? buf(new int[0]).blocks(none) : Buf.NONE, 0);
        int[] all = new int[2];
        none[0] = 2;
        t.world().gather(buf(new int[t.rank() == 0 ? 2 : 0]), t.rank() == 0 ? buf(all).blocks(none) : Buf.NONE, 0);
    }

    /// The root receives each rank's block as a row of a matrix.
    @Contract
    public static void rowsOfAMatrix(Trial t) {
        int n = t.size();
        double[] mine = {t.rank(), t.rank() + 0.5};
        double[][] all = new double[n][2];
        t.world().gather(buf(mine), t.rank() == n - 1 ? buf(all) : Buf.NONE, n - 1);
        for (int r = 0; r < n && t.rank() == n - 1; r++) {
            Check.that(all[r][0] == r && all[r][1] == r + 0.5, "row " + r + " of the " + MemoryKind.ROWS);
        }
    }

    /// Counts and displacements have type `int[]`. Rank r sends r + 1 elements, and the last rank's block is
    /// first.
    @Contract
    @SuppressWarnings("NullAway") // programs without null checks may pass null
    public static void countsAndDisplacementsOfInts(Trial t) {
        int n = t.size();
        int[] counts = new int[n], displacements = new int[n];
        int length = 0;
        for (int r = n - 1; r >= 0; r--) {
            counts[r] = r + 1;
            displacements[r] = length;
            length += counts[r] + 1;
        }
        int[] mine = new int[t.rank() + 1], all = new int[length], expected = new int[length];
        for (int i = 0; i < mine.length; i++) mine[i] = 100 * (t.rank() + 1) + i;
        for (int r = 0; r < n; r++) {
            for (int i = 0; i < counts[r]; i++) expected[displacements[r] + i] = 100 * (r + 1) + i;
        }
        t.world().gather(buf(mine), t.rank() == 0 ? buf(all).blocks(counts, displacements) : Buf.NONE, 0);
        if (t.rank() == 0) Check.that(Arrays.equals(expected, all), "gathered " + Arrays.toString(all));
        int[] none = null;
        String text = "blocks: the array of counts or of displacements is null";
        Check.rejects(ErrorClass.ERR_COUNT, text, () -> buf(all).blocks(counts, none));
        Check.rejects(ErrorClass.ERR_COUNT, text, () -> buf(all).blocks(none));
        Check.rejects(ErrorClass.ERR_COUNT, text, () -> buf(all).blocks(new long[1], null));
        Check.rejects(
                ErrorClass.ERR_COUNT,
                "blocks: 1 counts but 2 displacements",
                () -> buf(all).blocks(new int[1], new int[2]));
    }
}
