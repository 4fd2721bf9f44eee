package org.tutti.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of a buffer. The interface is sealed, so that an engine handles each kind. Memory of a device is
/// not a kind, because it has no segment. A message in the memory of a device has [#NONE] as memory, and a
/// [org.tutti.spi.type.DeviceLayout], which packs and unpacks the data.
public sealed interface Memory {
    /// No memory: the buffer of a barrier, or of a rank without data.
    Memory NONE = new Native(MemorySegment.NULL);

    /// Returns the bytes, which this thread can read and write.
    MemorySegment segment();

    /// A Java array or a part of an array, as a segment. The garbage collector may move the array, so the
    /// memory has no fixed address.
    ///
    /// @param array the argument of [#ofArray]
    record Heap(MemorySegment segment, @Nullable Object array) implements Memory {}

    /// Memory outside of the heap. The memory has a fixed address while the arena is open.
    record Native(MemorySegment segment) implements Memory {}

    /// Returns the memory of a segment.
    static Memory of(MemorySegment segment) {
        return segment.isNative() ? new Native(segment) : new Heap(segment, null);
    }

    /// Returns the memory of a complete array of a primitive type other than `boolean`.
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
