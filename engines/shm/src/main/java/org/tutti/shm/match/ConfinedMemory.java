package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageErrors;
import org.tutti.spi.PredefinedErrorClass;

/// Checks for memory of confined arenas. Only one thread may access such memory, although any thread of the
/// rank may advance messages.
public final class ConfinedMemory {
    /// A thread that has no confined arena: if it can access a memory segment, all threads can.
    private static final Thread WITHOUT_ARENA = Thread.ofPlatform().unstarted(() -> {});

    private ConfinedMemory() {}

    /// Returns the calling thread if only this thread may access `memory`, which `activity` uses; null if any
    /// thread may.
    ///
    /// @throws Fault `ERR_BUFFER` if the memory is confined to a different thread
    public static @Nullable Thread owner(Activity activity, Memory memory) {
        if (!(memory instanceof Memory.Native(MemorySegment s)) || s.isAccessibleBy(WITHOUT_ARENA)) return null;
        Thread me = Thread.currentThread();
        if (s.isAccessibleBy(me)) return me;
        throw refusal(activity, " of another thread");
    }

    /// Like [#owner(Activity, Memory)], for all memory that a collective call uses.
    public static @Nullable Thread owner(Collective call) {
        Thread owner = owner(call, call.send.memory), other = owner(call, call.recv.memory);
        if (owner == null) owner = other;
        if (call.send.parts == null && call.recv.parts == null) return owner;
        for (Collective.SeparateBlocks parts :
                new Collective.@Nullable SeparateBlocks[] {call.send.parts, call.recv.parts}) {
            if (parts == null) continue;
            for (Memory memory : parts.memories()) {
                other = owner(call, memory);
                if (owner == null) owner = other;
            }
        }
        return owner;
    }

    /// Returns the fault with which a call on memory of a confined arena is refused. `suffix` is the end of the
    /// error message.
    public static Fault refusal(Activity activity, String suffix) {
        String detail = MessageErrors.confined(suffix);
        return Fault.argument(PredefinedErrorClass.ERR_BUFFER, activity.operation, detail, activity.port());
    }
}
