package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.tutti.libmpi.raw.Constants.MPI_INFO_NULL;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Alloc_mem;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Free_mem;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.job.environment.Host;
import org.tutti.spi.Allocations;
import org.tutti.spi.Allocations.Allocation;
import org.tutti.spi.Allocator;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Memory of `MPI_Alloc_mem`, which a network may have registered.
final class NativeMemory implements Allocator {
    private static final int ALIGNMENT = 64;

    private final CommPort world;
    private final Allocations allocations = new Allocations();

    NativeMemory(CommPort world) {
        this.world = world;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        if (bytes > Long.MAX_VALUE - ALIGNMENT) throw noRoom(bytes, "more than there are addresses");
        try (Arena arena = Arena.ofConfined()) {
            Host.checkMemory(bytes);
            MemorySegment out = arena.allocate(ADDRESS);
            int rc = MPI_Alloc_mem(bytes + ALIGNMENT, MPI_INFO_NULL, out);
            if (rc != 0) throw noRoom(bytes, Errors.text(rc));
            long address = out.get(ADDRESS, 0).address();
            // MPICH 4.0 may say that all went well, and give none
            if (address == 0) throw noRoom(bytes, "the library has none");
            long aligned = (address + ALIGNMENT - 1) & -ALIGNMENT;
            Arena own = Arena.ofShared();
            MemorySegment memory = MemorySegment.ofAddress(aligned).reinterpret(bytes, own, null);
            memory.fill((byte) 0);
            return allocations.add(new Allocation(memory, own, address, bytes));
        } catch (IOException e) {
            throw noRoom(bytes, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void free(MemorySegment memory) {
        Allocation gone = allocations.remove(memory);
        int rc = MPI_Free_mem(MemorySegment.ofAddress(gone.base()));
        if (rc != 0) throw Errors.of(rc, "free", world);
    }

    private Fault noRoom(long bytes, String why) {
        return Fault.argument(
                PredefinedErrorClass.ERR_NO_MEM, "alloc", "no room for " + bytes + " bytes: " + why, world);
    }
}
