package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// One access to the memory of a window's target, for [WindowPort#run]. The caller reuses the object for later
/// accesses.
///
/// | kind | `origin` | `result` | `compare` |
/// |---|---|---|---|
/// | put | the data to store | | |
/// | get | | the data of the target | |
/// | accumulate | the data to combine | | |
/// | get-accumulate | the data to combine | the previous data | |
/// | compare-and-swap | the new element | the previous element | the expected element |
///
/// At the origin and at the target, the data has [#bytes] packed bytes, regardless of the layouts.
public final class Access implements ObservedCall {
    /// The operation at the target.
    public enum Kind {
        PUT,
        GET,
        ACCUMULATE,
        GET_ACCUMULATE,
        COMPARE_AND_SWAP;

        /// Returns whether each element is accessed atomically with respect to accesses of the same kind (MPI
        /// 4.1, section 12.7.1).
        public boolean isAtomic() {
            return this != PUT && this != GET;
        }
    }

    /// Data of this rank.
    public static final class Operand {
        public Memory memory = Memory.NONE;

        /// The layout of the data in [#memory]; null if it is contiguous from the beginning.
        public @Nullable Layout layout;

        /// Sets the memory: all bytes of `where`, or the bytes that `map` selects.
        public void at(Memory where, @Nullable Layout map) {
            memory = where;
            layout = map;
        }

        /// Copies the first `bytes` packed bytes of the data to the beginning of `room`.
        public void pack(MemorySegment room, long bytes) {
            if (layout != null) layout.pack(memory.segment(), 0, 0, room, 0, bytes);
            else MemorySegment.copy(memory.segment(), 0, room, 0, bytes);
        }

        /// Copies `bytes` packed bytes from the beginning of `room` to the data.
        public void unpack(MemorySegment room, long bytes) {
            if (layout != null) layout.unpack(memory.segment(), 0, 0, room, 0, bytes);
            else MemorySegment.copy(room, 0, memory.segment(), 0, bytes);
        }
    }

    /// The window; null before the access runs.
    public @Nullable WindowPort window;

    /// The operation's name in the API: `put`, `rget`.
    public String operation = "";

    public Kind kind = Kind.PUT;

    /// The target, a rank of the port.
    public int target;

    /// The offset of the data in the target's memory, in bytes.
    public long targetOffset;

    /// The layout of the data at the target; null if it is contiguous from [#targetOffset].
    public @Nullable Layout targetLayout;

    public long bytes;

    /// The basic type of the elements of an atomic access.
    public ElementType type = ElementType.BYTE;

    /// The reduction of an accumulate or get-accumulate.
    public @Nullable Reduction op;

    public final Operand origin = new Operand();
    public final Operand result = new Operand();
    public final Operand compare = new Operand();

    /// Starts filling in the fields. The operands are not changed; the caller then sets those that the kind
    /// uses.
    public Access fill(String operationName, Kind what, int targetRank) {
        operation = operationName;
        kind = what;
        target = targetRank;
        targetOffset = 0;
        targetLayout = null;
        bytes = 0;
        type = ElementType.BYTE;
        op = null;
        return this;
    }
}
