package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.tutti.libmpi.raw.Constants.MPI_INFO_NULL;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Alloc_mem;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.job.Host;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Memory of `MPI_Alloc_mem`, which a network may have registered.
final class NativeMemory {
    private static final int ALIGNMENT = 64;

    private NativeMemory() {}

    /// Aligned and zeroed; nobody frees it.
    ///
    /// @throws Fault `ERR_NO_MEM`, after which the job goes on
    static MemorySegment allocate(long bytes, CommPort world) {
        if (bytes > Long.MAX_VALUE - ALIGNMENT) throw noRoom(bytes, "more than there are addresses", world);
        try (Arena arena = Arena.ofConfined()) {
            Host.checkMemory(bytes);
            MemorySegment out = arena.allocate(ADDRESS);
            int rc = MPI_Alloc_mem(bytes + ALIGNMENT, MPI_INFO_NULL, out);
            if (rc != 0) throw noRoom(bytes, Errors.text(rc), world);
            long address = out.get(ADDRESS, 0).address();
            // MPICH 4.0 may say that all went well, and give none
            if (address == 0) throw noRoom(bytes, "the library has none", world);
            long aligned = (address + ALIGNMENT - 1) & -ALIGNMENT;
            return MemorySegment.ofAddress(aligned).reinterpret(bytes).fill((byte) 0);
        } catch (IOException e) {
            throw noRoom(bytes, String.valueOf(e.getMessage()), world);
        }
    }

    private static Fault noRoom(long bytes, String why, CommPort world) {
        return Fault.argument(
                PredefinedErrorClass.ERR_NO_MEM, "alloc", "no room for " + bytes + " bytes: " + why, world);
    }
}
