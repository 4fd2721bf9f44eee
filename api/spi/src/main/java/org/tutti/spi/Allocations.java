package org.tutti.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The memory that a rank has allocated and not yet freed, found by address. Thread-safe.
public final class Allocations {
    /// @param arena the arena of `memory`
    /// @param base the address of the engine's memory
    /// @param bytes the size of the engine's memory
    public record Allocation(MemorySegment memory, Arena arena, long base, long bytes) {}

    private final Map<Long, Allocation> byAddress = new HashMap<>();

    public synchronized MemorySegment add(Allocation made) {
        byAddress.put(made.memory.address(), made);
        return made.memory;
    }

    /// Removes the allocation of `memory`, closes its arena, and returns the allocation.
    ///
    /// @throws Fault `ERR_BASE` if `memory` is not a complete allocation, or if a call uses the memory
    public synchronized Allocation remove(MemorySegment memory) {
        Allocation found = memory.isNative() ? byAddress.get(memory.address()) : null;
        String why = refusal(memory, found);
        if (found == null || why != null) throw refused(String.valueOf(why));
        try {
            found.arena.close();
        } catch (IllegalStateException e) {
            throw refused(sizeOf(memory) + " of memory are in use: " + e.getMessage());
        }
        byAddress.remove(memory.address());
        return found;
    }

    private static @Nullable String refusal(MemorySegment memory, @Nullable Allocation found) {
        if (!memory.scope().isAlive())
            return sizeOf(memory) + " of memory that was freed before, or the arena is closed";
        if (found == null) {
            String of = memory.isNative() ? "" : " in an array";
            return sizeOf(memory) + " of memory" + of + " that this rank's alloc has not returned";
        }
        if (found.memory.byteSize() == memory.byteSize()) return null;
        return sizeOf(memory) + " of memory, the beginning of " + found.memory.byteSize()
                + " that alloc has returned; free these";
    }

    private static String sizeOf(MemorySegment memory) {
        return memory.byteSize() + " bytes";
    }

    private static Fault refused(String why) {
        return Fault.argument(PredefinedErrorClass.ERR_BASE, "free", why, null);
    }
}
