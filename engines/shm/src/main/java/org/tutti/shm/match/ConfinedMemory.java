package org.tutti.shm.match;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;

/// Memory of a confined arena: only one thread may touch it, although any thread of the rank moves messages.
public final class ConfinedMemory {
    private static final String INSTEAD = "use Arena.ofShared(), Arena.ofAuto(), mpi.alloc or an array";

    /// Has access only where all threads have.
    private static final Thread NOBODY = Thread.ofPlatform().unstarted(() -> {});

    private ConfinedMemory() {}

    /// The calling thread where only that may touch `memory`, which `activity` uses; null where any may.
    ///
    /// @throws Fault `ERR_BUFFER` where it is another one
    public static @Nullable Thread owner(Activity activity, Memory memory) {
        if (!(memory instanceof Memory.Native(MemorySegment s)) || s.isAccessibleBy(NOBODY)) return null;
        Thread me = Thread.currentThread();
        if (s.isAccessibleBy(me)) return me;
        throw refusal(activity, " of another thread");
    }

    /// The same of all memory that a collective call uses.
    public static @Nullable Thread owner(Collective call) {
        Thread owner = owner(call, call.send.memory), other = owner(call, call.recv.memory);
        if (owner == null) owner = other;
        if (call.send.parts == null && call.recv.parts == null) return owner;
        for (Collective.Parts parts : new Collective.@Nullable Parts[] {call.send.parts, call.recv.parts}) {
            if (parts == null) continue;
            for (Memory memory : parts.memories()) {
                other = owner(call, memory);
                if (owner == null) owner = other;
            }
        }
        return owner;
    }

    /// Why a call on confined memory is refused where `whose` is so.
    public static Fault refusal(Activity activity, String whose) {
        String what = "its memory is of a confined arena" + whose + "; " + INSTEAD;
        return Fault.argument(PredefinedErrorClass.ERR_BUFFER, activity.operation, what, activity.port());
    }
}
