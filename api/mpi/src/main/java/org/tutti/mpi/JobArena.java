package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.mpi.window.DynamicPort;
import org.tutti.spi.Allocator.Lease;
import org.tutti.spi.Collective;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;

/// See [Mpi#arena].
final class JobArena implements Arena {
    /// The alignment of every allocation of an engine.
    private static final long ALIGNMENT = 64;

    private final Mpi mpi;

    /// The lifetime of the segments; refuses accesses to them after its close.
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
            MemoryUse.check(mpi, "arena", leases.stream().map(Lease::memory).toList());
        }
        lifetime.close();
        // after the close of the Mpi the memory is freed with the engine
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

    /// Memory that the program is about to free, and what still uses it. After the release another allocation may get
    /// the
    /// same memory, so a pending operation would send or overwrite the data of that one.
    static final class MemoryUse {
        /// Native segments that do not overlap, by address.
        private final MemorySegment[] parts;

        private MemoryUse(MemorySegment[] parts) {
            this.parts = parts;
        }

        /// Checks that no pending request and no open window uses `memory`.
        static void check(Mpi mpi, String operation, List<MemorySegment> memory) {
            // requests of a failed job never complete
            if (memory.isEmpty() || mpi.engineNow().poison() != null) return;
            MemorySegment[] parts = memory.toArray(MemorySegment[]::new);
            Arrays.sort(parts, Comparator.comparingLong(MemorySegment::address));
            MemoryUse use = new MemoryUse(parts);
            String requests = mpi.pending().describeUsing(use, 4);
            if (!requests.isEmpty()) {
                throw MpiException.argument(
                        ErrorClass.ERR_PENDING, operation, requests + "; await or cancel them before", mpi.where());
            }
            String windows = mpi.open.windowsUsing(use);
            if (windows.isEmpty()) return;
            throw MpiException.argument(
                    ErrorClass.ERR_WIN,
                    operation,
                    windows + " uses this memory; close it or detach the memory before",
                    mpi.where());
        }

        /// Whether the memory contains bytes of `segment`.
        boolean contains(MemorySegment segment) {
            long length = segment.byteSize();
            if (length == 0 || !segment.isNative()) return false;
            long begin = segment.address();
            int low = 0, high = parts.length;
            while (low < high) { // finds the first part that ends after `begin`
                int middle = (low + high) >>> 1;
                MemorySegment part = parts[middle];
                if (part.address() + part.byteSize() > begin) high = middle;
                else low = middle + 1;
            }
            return low < parts.length && parts[low].address() < begin + length;
        }

        boolean contains(DynamicPort window) {
            for (MemorySegment part : parts) if (window.isAttached(part)) return true;
            return false;
        }

        boolean contains(Buf buf) {
            return buf.array == null
                    && buf.pieces == null
                    && buf.isPlace()
                    && contains(buf.memory().segment());
        }

        boolean contains(Collective.Operand operand) {
            Collective.Parts parts = operand.parts;
            if (parts == null) return contains(operand.memory.segment());
            for (Memory part : parts.memories()) if (contains(part.segment())) return true;
            return false;
        }
    }
}
