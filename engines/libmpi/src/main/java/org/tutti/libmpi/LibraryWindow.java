package org.tutti.libmpi;

import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_free;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_unlock_all;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;

/// A window of the library, from its making until all ranks have closed it.
///
/// @param handle the library's
/// @param isLocked whether it is in an epoch of `MPI_Win_lock_all` all the time
record LibraryWindow(NativeComm port, long handle, Order order, boolean isLocked) {
    /// As all ranks have made them.
    static final Comparator<LibraryWindow> MADE = Comparator.comparing(
            LibraryWindow::order,
            Comparator.comparingLong(Order::clock)
                    .thenComparingLong(Order::rank)
                    .thenComparingLong(Order::number));

    /// How the windows of a job are put in one order by all: by a clock that is ahead of those of the windows made
    /// before on any of its ranks, and the world rank and number of its first.
    record Order(long clock, long rank, long number) {}

    /// Frees it. Collective.
    void free() {
        try (Arena arena = Arena.ofConfined()) {
            if (isLocked) check(MPI_Win_unlock_all(handle));
            MemorySegment at = arena.allocate(8, 8);
            ABI.writeHandle(at, handle);
            check(MPI_Win_free(at));
        }
    }

    private void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "close", port);
    }
}
