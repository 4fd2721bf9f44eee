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

/// MPI 4.1, section 6.8.
public final class AlltoallContract {
    private AlltoallContract() {}

    /// Returns element `i` of the data from rank `from` to rank `to`.
    private static long value(Row row, int from, int to, int i) {
        return row.value(from, to * 100_003 + i);
    }

    private static void alltoall(Trial t, Row row, Buf send, Buf recv) {
        row.call(
                () -> t.world().alltoall(send, recv),
                () -> t.world().ialltoall(send, recv),
                () -> t.world().alltoallInit(send, recv));
    }

    @Contract(slow = true)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            int each = Math.min(row.count(), 100_003 / t.size());
            Box.Values sent = i -> value(row, t.rank(), i / each, i % each);
            Box.Values received = i -> value(row, i / each, t.rank(), i % each);
            String label = "alltoall " + each + " of " + row;
            Box send =
                    Box.of(t, 0, row.sendKind(t), row.type(), each * t.size()).fill(sent);
            if (row.inPlace()) {
                row.call(
                        () -> t.world().alltoall(send.buf()),
                        () -> t.world().ialltoall(Buf.IN_PLACE, send.buf()),
                        () -> t.world().alltoallInit(Buf.IN_PLACE, send.buf()));
                send.expect(received, label);
            } else {
                Box recv = row.recvBox(t, each * t.size(), received);
                alltoall(t, row, send.buf(), recv.buf());
                recv.expect(received, label);
                send.expect(sent, label + ", send buffer");
            }
        }
    }

    /// Rank r sends `step * ((r + 2 * s) % 4)` elements to rank s. Sender and receiver store the blocks in
    /// different orders.
    @Contract
    public static void blocksOfDifferentSizeWithGaps(Trial t) {
        int n = t.size();
        for (Row row : Row.of(t).subList(0, 40)) {
            int step = row.count() % 50;
            long[] out = new long[n];
            long[] in = new long[n];
            for (int r = 0; r < n; r++) {
                out[r] = (long) step * ((t.rank() + 2 * r) % 4);
                in[r] = (long) step * ((r + 2 * t.rank()) % 4);
            }
            BlockShapes from = new BlockShapes(out, row.mixed());
            BlockShapes to = new BlockShapes(in, !row.mixed());
            Box send = Box.of(t, 0, row.sendKind(t), row.type(), from.length);
            Box recv = Box.of(t, 1, row.recvKind(t), row.type(), to.length).fill(i -> row.value(-1, i));
            long[] expected = new long[to.length];
            for (int i = 0; i < to.length; i++) expected[i] = row.value(-1, i);
            for (int r = 0; r < n; r++) {
                for (int i = 0; i < out[r]; i++) send.set(from.place(r, i), value(row, t.rank(), r, i));
                for (int i = 0; i < in[r]; i++) expected[to.place(r, i)] = value(row, r, t.rank(), i);
            }
            alltoall(t, row, from.of(send.buf()), to.of(recv.buf()));
            recv.expect(i -> expected[i], "alltoall in blocks, " + row);
        }
    }

    /// In place, any two ranks exchange blocks of equal length.
    @Contract
    public static void blocksInPlace(Trial t) {
        int n = t.size();
        for (Row row : Row.of(t).subList(0, 30)) {
            long[] counts = new long[n];
            for (int r = 0; r < n; r++) counts[r] = (long) (row.count() % 50) * ((r + t.rank()) % 3);
            BlockShapes b = new BlockShapes(counts, row.mixed());
            Box box = Box.of(t, 1, row.recvKind(t), row.type(), b.length).fill(i -> row.value(-1, i));
            long[] expected = new long[b.length];
            for (int i = 0; i < b.length; i++) expected[i] = row.value(-1, i);
            for (int r = 0; r < n; r++) {
                for (int i = 0; i < counts[r]; i++) {
                    box.set(b.place(r, i), value(row, t.rank(), r, i));
                    expected[b.place(r, i)] = value(row, r, t.rank(), i);
                }
            }
            alltoall(t, row, Buf.IN_PLACE, b.of(box.buf()));
            box.expect(i -> expected[i], "alltoall in place in blocks, " + row);
        }
    }

    /// Blocks longer than the piece exchanged in one step.
    @Contract(maxRanks = 5)
    public static void longBlocks(Trial t) {
        int n = t.size();
        int each = 150_001;
        long[] x = new long[each * n];
        long[] y = new long[each * n];
        for (int i = 0; i < x.length; i++) x[i] = (long) t.rank() << 40 | i;
        t.world().alltoall(buf(x), buf(y));
        t.world().alltoall(buf(x));
        for (int i = 0; i < y.length; i++) {
            long expected = (long) (i / each) << 40 | t.rank() * each + i % each;
            Check.same(expected, y[i], "element ", i);
            Check.same(expected, x[i], "element in place ", i);
        }
    }

    /// Half of the ranks use shared memory and half an array, with and without IN_PLACE. The sent and received
    /// data is overwritten immediately after the call.
    @Contract
    public static void longBuffersMayBeReusedAfterTheCall(Trial t) {
        int n = t.size();
        for (int each : new int[] {1500, 16_001}) {
            int whole = n * each;
            MemorySegment segment = t.alloc(0, 8L * whole);
            long[] array = new long[whole];
            long[] result = new long[whole];
            for (int again = 0; again < 6; again++) {
                boolean inSegment = (t.rank() + again) % 2 == 0;
                boolean inPlace = again % 3 == 1;
                for (int i = 0; i < whole; i++) {
                    array[i] = t.rank() * 10_000_000L + i + again;
                    segment.setAtIndex(JAVA_LONG, i, array[i]);
                }
                Buf own = inSegment ? buf(segment, Datatype.LONG) : buf(array);
                if (inPlace) t.world().alltoall(own);
                else t.world().alltoall(own, buf(result));
                for (int i = 0; i < whole; i++) {
                    long is = !inPlace ? result[i] : inSegment ? segment.getAtIndex(JAVA_LONG, i) : array[i];
                    long expected = i / each * 10_000_000L + (long) t.rank() * each + i % each + again;
                    Check.same(expected, is, "element ", i);
                    array[i] = -1;
                    result[i] = -1;
                }
                segment.fill((byte) -1);
            }
        }
    }

    @Contract
    public static void manyConsecutiveCalls(Trial t) {
        int n = t.size();
        int[] out = new int[n];
        int[] in = new int[n];
        for (int i = 0; i < 200; i++) {
            for (int r = 0; r < n; r++) out[r] = 1000 * t.rank() + 10 * r + i;
            t.world().alltoall(buf(out), buf(in));
            for (int r = 0; r < n; r++) Check.same(1000 * r + 10 * t.rank() + i, in[r], "alltoall " + i);
        }
    }
}
