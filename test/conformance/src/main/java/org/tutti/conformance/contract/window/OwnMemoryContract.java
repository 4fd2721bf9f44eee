package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.Window;

/// Windows over memory of the program, with the separate memory model. MPI 4.1, sections 12.2.1 and 12.4.
public final class OwnMemoryContract {
    private OwnMemoryContract() {}

    /// Puts data of each type into each kind of memory.
    @Contract
    public static void fenceMakesPutsVisible(Trial t) {
        int number = 0;
        for (Datatype type : Plain.TYPES) {
            int salt = number++;
            MemoryKind kind = MemoryKind.values()[salt % MemoryKind.values().length];
            Box mine = Box.of(t, 0, kind, type, 10).fill(i -> Plain.value(type, salt, t.rank(), i));
            Box back = Box.of(t, 1, kind, type, 10).fill(_ -> 0);
            try (Window w = Window.of(t.world(), mine.buf(), (int) type.sizeBytes())) {
                Check.that(w.flavor() == Window.Flavor.CREATE && w.model() == Window.Model.SEPARATE, "attributes");
                Check.same(10 * type.sizeBytes(), w.sizeBytes(t.right()), "size");
                w.fence();
                w.get(back.buf(), t.right());
                back.expect(i -> Plain.value(type, salt, t.right(), i), "initial data, " + mine);
                w.fence();
                Box from = Box.of(t, 1, kind, type, 4).fill(i -> Plain.value(type, salt + 50, t.rank(), i));
                w.put(from.buf(), t.right(), 3);
                w.fence();
                mine.expect(
                        i -> i >= 3 && i < 7
                                ? Plain.value(type, salt + 50, t.left(), i - 3)
                                : Plain.value(type, salt, t.rank(), i),
                        "data put into " + mine);
                w.fence();
            }
        }
    }

    /// A rank stores to some elements while other ranks put to different elements.
    @Contract(minRanks = 2)
    public static void storesAndPutsToDifferentElements(Trial t) {
        long[] mine = new long[1000];
        Arrays.setAll(mine, i -> i);
        try (Window w = Window.of(t.world(), buf(mine), 8)) {
            for (int round = 1; round <= 5; round++) {
                long r = round;
                w.fence();
                for (int i = 0; i < mine.length; i += 2) mine[i] += r;
                for (int i = 1; i < mine.length; i += 200) w.put(buf(new long[] {-r - i}), t.right(), i);
                w.accumulate(buf(new long[] {1}), t.right(), 999, Op.SUM);
                w.fence();
                long stored = r * (r + 1) / 2;
                for (int i = 0; i < mine.length; i++) {
                    long expected = i % 2 == 0 ? i + stored : i % 200 == 1 ? -r - i : i == 999 ? i + r : i;
                    Check.same(expected, mine[i], "element " + i + " in round " + round);
                }
                long[] theirs = new long[1000];
                w.get(buf(theirs), t.right());
                Check.that(Arrays.equals(mine, theirs), "the right rank has the same");
            }
            w.fence();
        }
    }

    @Contract(minRanks = 2)
    public static void selfLocksMakeStoresAndPutsVisible(Trial t) {
        int[] mine = {t.rank(), -1};
        try (Window w = Window.of(t.world(), buf(mine))) {
            w.lock(t.rank());
            mine[0] = 100 + t.rank();
            w.unlock(t.rank());
            t.world().barrier();
            int[] got = new int[1];
            w.lock(t.right(), Window.LockType.SHARED);
            w.get(buf(got), t.right());
            w.put(buf(new int[] {7 + t.rank()}), t.right(), 4);
            w.unlock(t.right());
            Check.same(100 + t.right(), got[0], "value stored by the right rank");
            t.world().barrier();
            Check.same(-1, mine[1], "before the lock");
            w.lock(t.rank());
            Check.same(7 + t.left(), mine[1], "value put by the left rank");
            w.unlock(t.rank());
            t.world().barrier();
            w.lockAll();
            w.at(t.right(), 0).fetchAndAdd(1);
            t.world().barrier();
            w.sync();
            Check.same(101 + t.rank(), mine[0], "after the sync");
            w.unlockAll();
        }
    }

    @Contract(minRanks = 2)
    public static void exposureEpochsMakeStoresAndPutsVisible(Trial t) {
        float[] mine = {t.rank(), 0};
        try (Window w = Window.of(t.world(), buf(mine), 4)) {
            for (int round = 0; round < 20; round++) {
                mine[0] = 10 * round + t.rank();
                w.post(t.world().group().incl(t.left()));
                w.start(t.world().group().incl(t.right()));
                float[] got = new float[1];
                w.get(buf(got), t.right());
                w.put(buf(new float[] {round + t.rank()}), t.right(), 1);
                w.complete();
                if (round % 2 == 0) w.await();
                else while (!w.test()) Thread.onSpinWait();
                Check.that(got[0] == 10 * round + t.right(), "value stored by the right rank");
                Check.that(mine[1] == round + t.left(), "value put by the left rank");
            }
        }
    }

    /// Windows over parts of arrays, buffers of each byte order, matrices, types with gaps, and empty memory.
    @Contract
    public static void memoryOfEveryShape(Trial t) {
        byte[] part = new byte[10];
        check(t, buf(part, 3, 4), 4);
        Check.that(Arrays.equals(new byte[] {0, 0, 0, 9, 9, 9, 9, 0, 0, 0}, part), "a part of an array");
        boolean[] flags = new boolean[6];
        try (Window w = Window.of(t.world(), buf(flags))) {
            w.fence();
            w.put(buf(new boolean[] {true, true}), t.right(), 2);
            w.fence();
            Check.that(Arrays.equals(new boolean[] {false, false, true, true, false, false}, flags), "booleans");
        }
        LongBuffer longs =
                ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder()).asLongBuffer();
        check(t, buf(longs), 32);
        Check.same(0x0909_0909_0909_0909L, longs.get(3), "a direct buffer");
        double[][] matrix = new double[3][2];
        check(t, buf(matrix), 48);
        Check.that(matrix[2][1] == Double.longBitsToDouble(0x0909_0909_0909_0909L), "a matrix");
        int[] column = new int[9];
        check(t, buf(column, 0, 1, Datatype.INT.vector(3, 1, 3)), 12);
        Check.that(column[0] == 0x0909_0909 && column[6] == 0x0909_0909 && column[1] == 0, "a column");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(8);
            check(t, buf(segment), 8);
            Check.same(9, segment.get(ValueLayout.JAVA_BYTE, 7), "a segment");
        }
        check(t, buf(new long[0]), 0);
    }

    private static void check(Trial t, Buf memory, int bytes) {
        byte[] nines = new byte[bytes];
        Arrays.fill(nines, (byte) 9);
        Datatype type = memory.datatype().isPredefined() ? memory.datatype() : Datatype.INT;
        try (Window w = Window.of(t.world(), memory)) {
            w.fence();
            MemorySegment copy = Arena.ofAuto().allocate(bytes + 8L, 8);
            MemorySegment.copy(MemorySegment.ofArray(nines), 0, copy, 0, bytes);
            w.put(buf(copy, 0, bytes / type.sizeBytes(), type), t.right());
            w.fence();
        }
    }

    @Contract
    public static void unsupportedWindowMemory(Trial t) {
        try (Window w = Window.of(t.world(), buf(new int[4]))) {
            String where = " (rank " + t.rank() + " of " + t.size() + ", " + w.name() + ")";
            String text = "memory: the window of flavor CREATE is over existing memory of the program; use that memory"
                    + where;
            Check.rejects(ErrorClass.ERR_RMA_FLAVOR, text, w::memory);
            Check.rejects(ErrorClass.ERR_RMA_FLAVOR, text, () -> w.memory(t.right()));
        }
        String where = " (" + t.where() + ")";
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "of: the window's memory is IN_PLACE; pass a buffer without blocks, or an empty buffer" + where,
                () -> Window.of(t.world(), Buf.IN_PLACE));
        Datatype mixed = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.INT, Datatype.DOUBLE);
        Check.rejects(
                ErrorClass.ERR_TYPE,
                "of: " + mixed + " consists of several types; a window has elements of one basic type" + where,
                () -> Window.of(t.world(), buf(MemorySegment.ofArray(new long[2]), 0, 1, mixed)));
    }
}
