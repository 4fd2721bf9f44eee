package org.tutti.conformance.contract.collective;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;

/// MPI 4.1, section 6.7.
public final class AllgatherContract {
    private AllgatherContract() {}

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            int each = Math.min(row.count(), 100_003 / t.size());
            Box.Values all = i -> row.value(i / each, i % each);
            Box recv = row.recvBox(t, each * t.size(), all);
            if (row.inPlace()) {
                for (int i = 0; i < each; i++) recv.set(t.rank() * each + i, row.value(t.rank(), i));
                row.call(
                        () -> t.world().allgather(recv.buf()),
                        () -> t.world().iallgather(Buf.IN_PLACE, recv.buf()),
                        () -> t.world().allgatherInit(Buf.IN_PLACE, recv.buf()));
            } else {
                Box send = Box.of(t, 0, row.sendKind(t), row.type(), each).fill(i -> row.value(t.rank(), i));
                row.call(
                        () -> t.world().allgather(send.buf(), recv.buf()),
                        () -> t.world().iallgather(send.buf(), recv.buf()),
                        () -> t.world().allgatherInit(send.buf(), recv.buf()));
                send.expect(i -> row.value(t.rank(), i), "allgather, send buffer");
            }
            recv.expect(all, "allgather " + each + " of " + row);
        }
    }

    @Contract
    public static void blocksOfDifferentSizeWithGaps(Trial t) {
        for (Row row : Row.of(t).subList(0, 40)) {
            BlockShapes b = new BlockShapes(t, row.count() % 50, row.mixed());
            int mine = (int) b.counts[t.rank()];
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), mine).fill(i -> row.value(t.rank(), i));
            Box recv = Box.of(t, 1, row.recvKind(t), row.type(), b.length).fill(i -> row.value(-1, i));
            Buf from = send.buf();
            if (row.inPlace()) {
                for (int i = 0; i < mine; i++) recv.set((int) b.displacements[t.rank()] + i, row.value(t.rank(), i));
                from = Buf.IN_PLACE;
            }
            Buf sent = from;
            Buf into = recv.buf().blocks(b.counts, b.displacements);
            row.call(
                    () -> t.world().allgather(sent, into),
                    () -> t.world().iallgather(sent, into),
                    () -> t.world().allgatherInit(sent, into));
            recv.expect(i -> b.expected(row, i), "allgather in blocks, " + row);
        }
    }

    /// Rank 0 receives into blocks of equal size without gaps, the other ranks into a buffer without blocks:
    /// the two forms are equivalent.
    @Contract
    public static void regularBlocksOnOneRankOnly(Trial t) {
        int[] counts = new int[t.size()], all = new int[t.size()];
        java.util.Arrays.fill(counts, 1);
        Buf into = t.rank() == 0 ? buf(all).blocks(counts) : buf(all);
        t.world().allgather(buf(new int[] {t.rank() + 1}), into);
        for (int r = 0; r < t.size(); r++) Check.same(r + 1, all[r], "element of rank " + r);
    }

    @Contract
    public static void oneRankHasAllElements(Trial t) {
        for (int giver = 0; giver < t.size(); giver++) {
            for (int count : new int[] {1, 50_000}) {
                int[] counts = new int[t.size()];
                counts[giver] = count;
                long[] mine = new long[counts[t.rank()]];
                java.util.Arrays.fill(mine, giver + 1);
                long[] all = new long[count];
                t.world().allgather(buf(mine), buf(all).blocks(counts));
                Check.same(giver + 1, all[0], "first element of rank " + giver);
                Check.same(giver + 1, all[count - 1], "last element of rank " + giver);
            }
        }
    }

    @Contract
    public static void manyConsecutiveCalls(Trial t) {
        int n = t.size();
        int[] all = new int[n];
        for (int i = 0; i < 200; i++) {
            t.world().allgather(buf(new int[] {i + t.rank()}), buf(all));
            for (int r = 0; r < n; r++) Check.same(i + r, all[r], "allgather " + i + ", block " + r);
        }
    }

    /// Blocks have different lengths, and the longest is sent in several pieces. A rank passes shared memory,
    /// with or without IN_PLACE, or an array, and overwrites the block immediately after the call.
    @Contract
    public static void longBuffersMayBeReusedAfterTheCall(Trial t) {
        int n = t.size();
        long[] counts = new long[n];
        long[] displacements = new long[n];
        for (int r = 0; r < n; r++) counts[r] = 1000 + 20_000L * ((r + 1) % n);
        for (int r = 1; r < n; r++) displacements[r] = displacements[r - 1] + counts[r - 1] + 3;
        long whole = displacements[n - 1] + counts[n - 1];
        int mine = (int) counts[t.rank()];
        MemorySegment own = t.alloc(0, 8L * mine);
        MemorySegment all = t.alloc(1, 8 * whole);
        for (int again = 0; again < 6; again++) {
            boolean inPlace = again % 3 == 1;
            MemorySegment block = inPlace ? all.asSlice(8 * displacements[t.rank()], 8L * mine) : own;
            long[] array = new long[mine];
            for (int i = 0; i < mine; i++) {
                array[i] = t.rank() * 1_000_000L + i + again;
                block.setAtIndex(JAVA_LONG, i, array[i]);
            }
            Buf into = buf(all, Datatype.LONG).blocks(counts, displacements);
            if (inPlace) t.world().allgather(into);
            else t.world().allgather(again % 3 == 2 ? buf(array) : buf(own, Datatype.LONG), into);
            if (!inPlace) own.fill((byte) -1);
            for (int r = 0; r < n; r++) {
                for (int i = 0; i < counts[r]; i++) {
                    long is = all.getAtIndex(JAVA_LONG, displacements[r] + i);
                    Check.same(r * 1_000_000L + i + again, is, "element of a block ", i);
                }
            }
            all.fill((byte) -1);
        }
    }
}
