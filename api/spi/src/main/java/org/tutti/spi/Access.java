package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;

/// One access to the memory of a window's target, for [WindowPort#run]; used again and again.
///
/// | kind | `origin` | `result` | `compare` |
/// |---|---|---|---|
/// | put | what is stored there | | |
/// | get | | what is there | |
/// | accumulate | what is combined with what is there | | |
/// | get-accumulate | the same | what was there before | |
/// | compare-and-swap | the new element | what was there before | the old element |
///
/// Data has [#bytes] packed bytes on both sides, whatever the layouts are.
public final class Access implements ObservedCall {
    /// What is done there.
    public enum Kind {
        PUT,
        GET,
        ACCUMULATE,
        GET_ACCUMULATE,
        COMPARE_AND_SWAP;

        /// Whether it is atomic to others of its kind, element by element (MPI 4.1, section 12.7.1).
        public boolean isAtomic() {
            return this != PUT && this != GET;
        }
    }

    /// Data of this rank.
    public static final class Operand {
        public Memory memory = Memory.NONE;

        /// Where in [#memory] the bytes lie, if they are not one run from its beginning on.
        public @Nullable Layout layout;

        /// All bytes of `where`, or those that `map` says.
        public void at(Memory where, @Nullable Layout map) {
            memory = where;
            layout = map;
        }

        /// Copies its first `bytes` to the beginning of `room`, packed.
        public void pack(MemorySegment room, long bytes) {
            if (layout != null) layout.pack(memory.segment(), 0, 0, room, 0, bytes);
            else MemorySegment.copy(memory.segment(), 0, room, 0, bytes);
        }

        /// The other way.
        public void unpack(MemorySegment room, long bytes) {
            if (layout != null) layout.unpack(memory.segment(), 0, 0, room, 0, bytes);
            else MemorySegment.copy(room, 0, memory.segment(), 0, bytes);
        }
    }

    /// The window; null before the access runs.
    public @Nullable WindowPort window;

    /// The user's word for it: `put`, `rget`.
    public String operation = "";

    public Kind kind = Kind.PUT;

    /// Rank of the port.
    public int target;

    /// Where in the target's memory it begins, in bytes.
    public long targetOffset;

    /// Where the bytes lie there, if they are not one run from [#targetOffset] on.
    public @Nullable Layout targetLayout;

    public long bytes;

    /// What elements of an atomic access consist of: a basic type.
    public ElementType type = ElementType.BYTE;

    /// Of an accumulate or get-accumulate.
    public @Nullable Reduction op;

    public final Operand origin = new Operand();
    public final Operand result = new Operand();
    public final Operand compare = new Operand();

    /// Starts filling in. Operands that its kind does not have keep what they had last.
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
