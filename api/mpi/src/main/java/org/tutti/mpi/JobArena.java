package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tutti.spi.Allocator.Lease;
import org.tutti.spi.Fault;

/// See [Mpi#arena].
final class JobArena implements Arena {
    /// The alignment of every allocation of an engine.
    private static final long ALIGNMENT = 64;

    private final Mpi mpi;

    /// The lifetime of the segments. After it has been closed, the segments refuse accesses.
    private final Arena lifetime = Arena.ofShared();

    private final List<Lease> leases = new ArrayList<>();

    JobArena(Mpi mpi) {
        this.mpi = mpi;
    }

    @Override
    public synchronized MemorySegment allocate(long byteSize, long byteAlignment) {
        if (byteSize < 0) throw new IllegalArgumentException("byteSize=" + byteSize + " is negative");
        if (byteAlignment <= 0 || Long.bitCount(byteAlignment) != 1) {
            throw new IllegalArgumentException("byteAlignment=" + byteAlignment + " is not a power of two");
        }
        if (!lifetime.scope().isAlive()) throw new IllegalStateException("Already closed");
        long more = byteAlignment <= ALIGNMENT ? 0 : byteAlignment;
        if (byteSize > Long.MAX_VALUE - more) {
            throw MpiException.argument(
                    ErrorClass.ERR_NO_MEM, "arena", "not enough memory for " + byteSize + " bytes", mpi.where());
        }
        Lease made;
        try {
            made = mpi.engine("arena").allocator().allocate("arena", byteSize + more, lifetime);
        } catch (Fault f) {
            throw MpiException.of(f);
        }
        leases.add(made);
        long address = made.memory().address();
        long begin = more == 0 ? 0 : -address & (byteAlignment - 1);
        return made.memory().asSlice(begin, byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public synchronized void close() {
        if (lifetime.scope().isAlive() && !mpi.isClosed()) {
            mpi.checkUnused("arena", leases.stream().map(Lease::memory).toList());
        }
        lifetime.close();
        // if the Mpi is already closed, the engine has freed the memory
        if (mpi.isClosed()) return;
        MpiException first = null;
        for (Lease lease : leases) {
            try {
                lease.release().run();
            } catch (Fault f) {
                if (first == null) first = MpiException.of(f);
                else first.addSuppressed(f);
            }
        }
        if (first != null) throw first;
    }
}
