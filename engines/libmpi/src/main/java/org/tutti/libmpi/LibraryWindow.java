package org.tutti.libmpi;

import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_free;
import static org.tutti.libmpi.raw.WindowFunctions.MPI_Win_unlock_all;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;

/// A window of the library, until all ranks have closed it.
///
/// @param handle the library's handle
/// @param isLocked whether the window stays in one epoch of `MPI_Win_lock_all`
record LibraryWindow(NativeComm port, long handle, Order order, boolean isLocked) {
    /// Compares windows by the order of creation, which is equal on all ranks.
    static final Comparator<LibraryWindow> MADE = Comparator.comparing(
            LibraryWindow::order,
            Comparator.comparingLong(Order::clock)
                    .thenComparingLong(Order::rank)
                    .thenComparingLong(Order::number));

    /// The position in the common order of a job's windows, compared by clock, then by rank and number. The
    /// clock is greater than the clock of every earlier window of any participating rank. `rank` is the world
    /// rank of the window's first rank, and `number` is the number that the first rank has given the window.
    record Order(long clock, long rank, long number) {}

    /// Frees the window. Collective.
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
