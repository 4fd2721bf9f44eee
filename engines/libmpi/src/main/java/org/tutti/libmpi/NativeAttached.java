package org.tutti.libmpi;

import static org.tutti.libmpi.raw.WindowFunctions.*;

import java.lang.foreign.MemorySegment;
import org.tutti.coll.window.AccumulateLock;
import org.tutti.spi.Access;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Memory attached to a dynamic window of the library, at a different address on each rank. Targets are locked
/// through the accompanying static window.
final class NativeAttached implements AttachedMemory {
    private final LibraryWindow library;
    private final RemoteAccesses accesses;

    NativeAttached(NativeWindows windows, AccumulateLock lock, LibraryWindow library, Staging staging) {
        this.library = library;
        long[] places = new long[library.port().size()];
        accesses = new RemoteAccesses(windows, library, places, lock, staging);
    }

    @Override
    public long attach(MemorySegment memory) {
        if (!memory.isNative()) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_RMA_ATTACH,
                    "attach",
                    memory.byteSize() + " bytes of an array, which moves; attach memory of mpi.alloc(bytes)",
                    library.port());
        }
        accesses.check(MPI_Win_attach(library.handle(), memory, memory.byteSize()));
        return memory.address();
    }

    @Override
    public long place(MemorySegment memory) {
        return memory.isNative() ? memory.address() : -1;
    }

    @Override
    public void detach(MemorySegment memory) {
        accesses.check(MPI_Win_detach(library.handle(), memory));
    }

    @Override
    public void run(Access access) {
        accesses.run(access);
    }

    @Override
    public void flush(int target) {
        accesses.flush(target);
    }

    @Override
    public void flushAll() {
        accesses.flushAll();
    }

    @Override
    public void free() {
        accesses.free();
    }
}
