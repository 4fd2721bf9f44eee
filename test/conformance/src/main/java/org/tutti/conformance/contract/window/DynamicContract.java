package org.tutti.conformance.contract.window;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.Window;

/// Dynamic windows, to which memory is attached. MPI 4.1, section 12.2.4.
public final class DynamicContract {
    private DynamicContract() {}

    /// Returns a dynamic window, or null if the library does not support dynamic windows.
    private static @Nullable Window dynamic(Trial t) {
        if (!t.mpi().engineDescription().contains("Open MPI")) return Window.dynamic(t.world());
        MpiException e = Check.fails(ErrorClass.ERR_OTHER, () -> Window.dynamic(t.world()));
        Check.that(
                String.valueOf(e.getMessage()).startsWith("dynamic: Open MPI has no dynamic windows that are safe"),
                "text: " + e.getMessage());
        return null;
    }

    private static long[] allgathered(Comm comm, long place) {
        long[] all = new long[comm.size()];
        comm.allgather(buf(new long[] {place}), buf(all));
        return all;
    }

    /// Attached memory cannot be freed, because other ranks could then write to the next allocation at the same
    /// address.
    @Contract
    public static void attachedMemoryIsNotFreed(Trial t) {
        MemorySegment own = t.mpi().alloc(64);
        try (Arena arena = t.mpi().arena();
                Window w = dynamic(t)) {
            if (w == null) return;
            MemorySegment part = arena.allocate(64).asSlice(8, 8);
            w.attach(part);
            w.attach(own);
            Check.rejects(
                    ErrorClass.ERR_WIN,
                    "arena: the window " + w.name() + ", created at DynamicContract.java:",
                    ", uses this memory; close it or detach the memory first (" + t.where() + ")",
                    arena::close);
            Check.fails(ErrorClass.ERR_WIN, () -> t.mpi().free(own));
            w.detach(part);
            w.detach(own);
            t.mpi().free(own);
            arena.allocate(8);
        }
    }

    @Contract
    public static void attachedMemoryIsAccessed(Trial t) {
        Mpi mpi = t.mpi();
        MemorySegment mine = mpi.alloc(800);
        try (Window w = dynamic(t)) {
            if (w == null) return;
            Check.that(w.flavor() == Window.Flavor.DYNAMIC && w.model() == Window.Model.UNIFIED, "attributes");
            Check.same(0, w.sizeBytes(t.right()), "size");
            long[] places = allgathered(t.world(), w.attach(mine));
            w.fence();
            w.put(buf(new long[] {t.rank(), 11}), t.right(), places[t.right()]);
            w.at(t.right(), places[t.right()] + 400, 1, Datatype.INT.vector(3, 1, 2))
                    .put(buf(new int[] {1, 2, 3}));
            w.fence();
            Check.same(t.left(), mine.get(ValueLayout.JAVA_LONG, 0), "a long");
            Check.same(3, mine.get(ValueLayout.JAVA_INT, 416), "an int after the gaps");
            Check.same(0, mine.get(ValueLayout.JAVA_INT, 412), "a gap");
            w.fence();
            for (int r = 0; r < t.size(); r++) {
                w.accumulate(buf(new long[] {1}), r, places[r] + 16, Op.SUM);
                w.accumulate(buf(new short[] {1}), r, places[r] + 24, Op.SUM);
            }
            w.fence();
            Check.same(t.size(), mine.get(ValueLayout.JAVA_LONG, 16), "longs");
            Check.same((short) t.size(), mine.get(ValueLayout.JAVA_SHORT, 24), "shorts");
            t.world().barrier();
            w.lockAll();
            Check.same(t.size(), w.at(t.right(), places[t.right()] + 16).fetchAndAdd(5L), "previous value");
            long[] got = new long[3];
            w.get(buf(got), t.right(), places[t.right()]);
            Check.same(t.rank(), got[0], "value put by this rank");
            w.unlockAll();
            t.world().barrier();
            w.detach(mine);
        }
        t.world().barrier();
        mpi.free(mine);
    }

    /// Memory is attached and detached several times, and only attached memory is accessed.
    @Contract(minRanks = 2)
    public static void onlyAttachedMemoryIsAccessed(Trial t) {
        Mpi mpi = t.mpi();
        MemorySegment a = mpi.alloc(64), b = mpi.alloc(128);
        Comm world = t.world();
        try (Window w = dynamic(t)) {
            if (w == null) return;
            int right = t.right();
            w.lockAll();
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "put: 8 bytes at disp=0 are not within one of the 0 pieces attached by rank " + right + " (0"
                            + " bytes)" + where(t, w),
                    () -> w.put(buf(new long[1]), right, 0));
            world.barrier();
            long[] as = allgathered(world, w.attach(a)), bs = allgathered(world, w.attach(b));
            w.put(buf(new long[] {1}), right, as[right] + 56);
            w.put(buf(new long[] {2}), right, bs[right] + 120);
            w.flush(right);
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "get: 16 bytes at disp=" + (bs[right] + 120) + " are not within one of the 2 pieces attached"
                            + " by rank " + right + " (192 bytes)" + where(t, w),
                    () -> w.get(buf(new long[2]), right, bs[right] + 120));
            world.barrier();
            Check.same(1, a.get(ValueLayout.JAVA_LONG, 56), "in a");
            Check.same(2, b.get(ValueLayout.JAVA_LONG, 120), "in b");
            world.barrier(); // continue when all ranks have checked the memory
            w.detach(a);
            world.barrier();
            Check.rejects(
                    ErrorClass.ERR_RMA_RANGE,
                    "put: 8 bytes at disp=" + as[right] + " are not within the piece attached by rank " + right
                            + " (128 bytes)" + where(t, w),
                    () -> w.put(buf(new long[1]), right, as[right]));
            w.put(buf(new long[] {3}), right, bs[right]);
            w.unlockAll();
            world.barrier();
            w.lock(t.rank());
            Check.same(3, b.get(ValueLayout.JAVA_LONG, 0), "in b, after detach of a");
            w.unlock(t.rank());
            Check.same(bs[t.rank()], reattached(w, b), "the same place");
            w.detach(b);
        }
        world.barrier();
        mpi.free(a);
        mpi.free(b);
    }

    private static long reattached(Window w, MemorySegment memory) {
        w.detach(memory);
        return w.attach(memory);
    }

    private static String where(Trial t, Window w) {
        return " (rank " + t.rank() + " of " + t.size() + ", " + w.name() + ")";
    }

    @Contract
    public static void memoryThatCannotBeAttached(Trial t) {
        Mpi mpi = t.mpi();
        MemorySegment mine = mpi.alloc(64);
        try (Window w = dynamic(t);
                Window allocated = Window.allocate(t.world(), 8)) {
            if (w == null) return;
            MpiException e = Check.fails(ErrorClass.ERR_RMA_ATTACH, () -> w.attach(MemorySegment.ofArray(new long[4])));
            Check.that(
                    String.valueOf(e.getMessage()).startsWith("attach: 32 bytes of an array")
                            && String.valueOf(e.getMessage()).contains("attach memory of mpi.alloc(bytes)"),
                    "text: " + e.getMessage());
            w.attach(mine);
            Check.rejects(
                    ErrorClass.ERR_RMA_ATTACH,
                    "attach: 8 bytes overlap with 64 that are already attached; detach these first" + where(t, w),
                    () -> w.attach(mine.asSlice(8, 8)));
            Check.rejects(
                    ErrorClass.ERR_RMA_ATTACH,
                    "detach: 8 bytes do not match an attached segment; pass the segment that was passed to"
                            + " attach()" + where(t, w),
                    () -> w.detach(mine.asSlice(8, 8)));
            Check.rejects(
                    ErrorClass.ERR_RMA_FLAVOR,
                    "attach: memory can be attached only to windows of dynamic(); this window is of flavor ALLOCATE"
                            + where(t, allocated),
                    () -> allocated.attach(mine));
            Check.rejects(
                    ErrorClass.ERR_RMA_FLAVOR,
                    "memory: the window of flavor DYNAMIC is over existing memory of the program; use that memory"
                            + where(t, w),
                    w::memory);
            w.detach(mine);
        }
        mpi.free(mine);
    }
}
