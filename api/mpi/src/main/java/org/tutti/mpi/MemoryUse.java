package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.tutti.mpi.window.DynamicPort;
import org.tutti.spi.Collective;
import org.tutti.spi.Memory;

/// Memory that the program is about to free. The memory must not be in use, because a later allocation may get
/// the same memory, and a pending operation would then send or overwrite the data of that allocation.
final class MemoryUse {
    /// Native segments that do not overlap, ordered by address.
    private final MemorySegment[] parts;

    MemoryUse(List<MemorySegment> memory) {
        parts = memory.toArray(MemorySegment[]::new);
        Arrays.sort(parts, Comparator.comparingLong(MemorySegment::address));
    }

    /// Returns whether the memory contains bytes of `segment`.
    boolean contains(MemorySegment segment) {
        long length = segment.byteSize();
        if (length == 0 || !segment.isNative()) return false;
        long begin = segment.address();
        int low = 0, high = parts.length;
        while (low < high) { // search for the first part that ends after `begin`
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
        Collective.SeparateBlocks parts = operand.parts;
        if (parts == null) return contains(operand.memory.segment());
        for (Memory part : parts.memories()) if (contains(part.segment())) return true;
        return false;
    }
}
