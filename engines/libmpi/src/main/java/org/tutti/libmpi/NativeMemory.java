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

/// Memory of `MPI_Alloc_mem`, which may be registered with a network.
final class NativeMemory implements Allocator {
    private static final int ALIGNMENT = 64;

    private final CommPort world;
    private final Allocations allocations = new Allocations();

    NativeMemory(CommPort world) {
        this.world = world;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        long address = address("alloc", bytes);
        Arena arena = Arena.ofShared();
        return allocations.add(new Allocation(segment(address, bytes, arena), arena, address, bytes));
    }

    @Override
    public Lease allocate(String operation, long bytes, Arena arena) {
        long address = address(operation, bytes);
        return new Lease(segment(address, bytes, arena), () -> release(address));
    }

    /// Allocates `bytes` bytes and space for the alignment. Returns the address.
    private long address(String operation, long bytes) {
        if (bytes > Long.MAX_VALUE - ALIGNMENT) throw noRoom(operation, bytes, "more than there are addresses");
        try (Arena arena = Arena.ofConfined()) {
            Host.checkMemory(bytes);
            MemorySegment out = arena.allocate(ADDRESS);
            int rc = MPI_Alloc_mem(bytes + ALIGNMENT, MPI_INFO_NULL, out);
            if (rc != 0) throw noRoom(operation, bytes, Errors.text(rc));
            long address = out.get(ADDRESS, 0).address();
            // MPICH 4.0 can return success without memory
            if (address == 0) throw noRoom(operation, bytes, "the library has none");
            return address;
        } catch (IOException e) {
            throw noRoom(operation, bytes, String.valueOf(e.getMessage()));
        }
    }

    private static MemorySegment segment(long address, long bytes, Arena arena) {
        long aligned = (address + ALIGNMENT - 1) & -ALIGNMENT;
        MemorySegment memory = MemorySegment.ofAddress(aligned).reinterpret(bytes, arena, null);
        memory.fill((byte) 0);
        return memory;
    }

    @Override
    public void free(MemorySegment memory) {
        release(allocations.remove(memory).base());
    }

    private void release(long address) {
        int rc = MPI_Free_mem(MemorySegment.ofAddress(address));
        if (rc != 0) throw Errors.of(rc, "free", world);
    }

    private Fault noRoom(String operation, long bytes, String why) {
        return Fault.argument(
                PredefinedErrorClass.ERR_NO_MEM, operation, "too little memory for " + bytes + " bytes: " + why, world);
    }
}
