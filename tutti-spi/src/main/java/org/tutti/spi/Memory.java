package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Where the bytes of a buffer lie. Sealed, so that an engine decides for each kind what it does with it; memory
/// of a device will be a third kind that has an address and no segment.
public sealed interface Memory {
    /// No bytes at all: the buffer of a barrier, or of a rank that takes no part in the data.
    Memory NONE = new Native(MemorySegment.NULL);

    /// The bytes, readable and writable from this thread.
    MemorySegment segment();

    /// A Java array, or a part of one, seen as a segment. The collector may move it: its address is nobody's.
    ///
    /// @param array what [#ofArray] was given
    record Heap(MemorySegment segment, @Nullable Object array) implements Memory {}

    /// Memory outside the heap: it stays where it is for as long as its arena lives.
    record Native(MemorySegment segment) implements Memory {}

    /// Wraps a segment by what it is.
    static Memory of(MemorySegment segment) {
        return segment.isNative() ? new Native(segment) : new Heap(segment, null);
    }

    /// All of an array of a primitive type other than `boolean`.
    static Memory ofArray(Object array) {
        MemorySegment all = switch (array) {
            case byte[] a -> MemorySegment.ofArray(a);
            case char[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            default -> throw new IllegalArgumentException("no bytes to be sent: " + array.getClass());
        };
        return new Heap(all, array);
    }
}
