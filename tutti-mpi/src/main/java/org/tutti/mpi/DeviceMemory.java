package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory of a device, a GPU for instance, which Java cannot read or write: what [Buf#buf(DeviceMemory)] takes.
/// Messages are copied through the host's memory, on their way out of the device and into it. Buffers of
/// `tutti-device` are such memory; tensors of other libraries become it by an implementation of this.
///
/// A send copies when it is started, a receive when it is complete. Whoever uses several queues of work on a
/// device sees to it that what writes the memory has ended before a message is started.
public interface DeviceMemory {
    /// The device's name, `cuda:0` for instance.
    String device();

    /// Where the memory is, as the device has it.
    long address();

    /// How many bytes it has.
    long byteSize();

    /// What it holds; a predefined type.
    Datatype type();

    /// Copies `target.byteSize()` bytes to the host, from byte `from` on; returns when they are there.
    void copyTo(MemorySegment target, long from);

    /// Copies `source.byteSize()` bytes from the host, to byte `to` and on; returns when they are there.
    void copyFrom(MemorySegment source, long to);
}
