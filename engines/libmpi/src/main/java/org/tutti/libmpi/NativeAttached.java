package org.tutti.libmpi;

import static org.tutti.libmpi.raw.WindowFunctions.*;

import java.lang.foreign.MemorySegment;
import org.tutti.coll.window.AccumulateLock;
import org.tutti.spi.Access;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Memory that is attached to a dynamic window of the library, where it lies at its own address. The locks of
/// targets are those of the window beside it.
final class NativeAttached implements AttachedMemory, RemoteMemory {
    private final NativeWindows windows;
    private final CommPort port;
    private final AccumulateLock beside;
    private final LibraryWindow library;
    private final RemoteAccesses accesses;

    NativeAttached(NativeWindows windows, AccumulateLock beside, LibraryWindow library, Staging staging) {
        this.windows = windows;
        this.beside = beside;
        port = library.port();
        this.library = library;
        accesses = new RemoteAccesses(this, staging);
    }

    @Override
    public CommPort port() {
        return port;
    }

    @Override
    public long handle() {
        return library.handle();
    }

    @Override
    public long place(int rank) {
        return 0;
    }

    @Override
    public void check(int rc) {
        if (rc != 0) windows.check(rc, port());
    }

    @Override
    public void acquire(Access access) {
        beside.acquire(access);
    }

    @Override
    public void release(Access access) {
        beside.release(access);
    }

    @Override
    public long attach(MemorySegment memory) {
        if (!memory.isNative()) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_RMA_ATTACH,
                    "attach",
                    memory.byteSize() + " bytes of an array, which moves; attach memory of mpi.alloc(bytes)",
                    port());
        }
        check(MPI_Win_attach(handle(), memory, memory.byteSize()));
        return memory.address();
    }

    @Override
    public long place(MemorySegment memory) {
        return memory.isNative() ? memory.address() : -1;
    }

    @Override
    public void detach(MemorySegment memory) {
        check(MPI_Win_detach(handle(), memory));
    }

    @Override
    public void run(Access access) {
        windows.accesses();
        accesses.run(access);
    }

    @Override
    public void flush(int target) {
        windows.checkJob();
        check(MPI_Win_flush(target, handle()));
    }

    @Override
    public void flushAll() {
        windows.checkJob();
        check(MPI_Win_flush_all(handle()));
    }

    @Override
    public void free() {
        windows.closed(library);
    }
}
