package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.GroupFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Groups of ranks. All operations are local.
final class NativeGroups {
    private NativeGroups() {}

    /// Returns the world ranks of the `size` ranks of `comm`.
    static int[] worldRanks(long comm, int size, Arena arena) {
        MemorySegment out = arena.allocate(8, 8);
        long world = of(MPI_COMM_WORLD, out);
        int[] ranks = ranksIn(world, comm, size, arena);
        free(world, out);
        return ranks;
    }

    /// Returns the ranks in `other` of the `size` ranks of `comm`; negative for ranks that are not in `other`.
    static int[] ranksIn(long other, long comm, int size, Arena arena) {
        MemorySegment out = arena.allocate(8, 8);
        long group = of(comm, out);
        MemorySegment ranks = arena.allocate(JAVA_INT, size);
        MemorySegment translated = arena.allocate(JAVA_INT, size);
        for (int r = 0; r < size; r++) ranks.setAtIndex(JAVA_INT, r, r);
        check(MPI_Group_translate_ranks(group, size, ranks, other, translated));
        free(group, out);
        return translated.toArray(JAVA_INT);
    }

    /// Returns the group of these ranks of `comm`, in this order; the caller must [#free] it.
    static long including(long comm, int[] ranks, MemorySegment out, Arena arena) {
        long all = of(comm, out);
        check(MPI_Group_incl(all, ranks.length, arena.allocateFrom(JAVA_INT, ranks), out));
        long group = ABI.readHandle(out);
        free(all, out);
        return group;
    }

    static void free(long group, MemorySegment at) {
        ABI.writeHandle(at, group);
        check(MPI_Group_free(at));
    }

    /// Returns the group of `comm`; the caller must [#free] it.
    static long of(long comm, MemorySegment out) {
        check(MPI_Comm_group(comm, out));
        return ABI.readHandle(out);
    }

    private static void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "group", null);
    }
}
