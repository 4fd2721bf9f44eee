package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of a buffer. Sealed, so that an engine handles each kind. Memory of a device is not a kind: it has no
/// segment. Its message has [#NONE] here and a [org.tutti.spi.type.DeviceLayout], which packs and unpacks it.
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
        return new Heap(segment(array), array);
    }

    private static MemorySegment segment(Object array) {
        if (array instanceof byte[] a) return MemorySegment.ofArray(a);
        if (array instanceof double[] a) return MemorySegment.ofArray(a);
        if (array instanceof float[] a) return MemorySegment.ofArray(a);
        if (array instanceof int[] a) return MemorySegment.ofArray(a);
        if (array instanceof long[] a) return MemorySegment.ofArray(a);
        if (array instanceof short[] a) return MemorySegment.ofArray(a);
        if (array instanceof char[] a) return MemorySegment.ofArray(a);
        throw new IllegalArgumentException("no bytes to be sent: " + array.getClass());
    }
}
