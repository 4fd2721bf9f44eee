package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory of a device, a GPU for instance, which Java cannot read or write: what [Buf#buf(DeviceMemory)] takes.
/// Buffers of `tutti-device` are such memory; tensors of other libraries become it by an implementation of this.
///
/// A message goes from it by copies through the host, piece by piece while it is under way, or by its address,
/// where an MPI library knows the device. What others do with a device at the same time is theirs to order: a
/// message begins when [#started] has returned, and has the memory until it is complete.
public interface DeviceMemory {
    /// Returns the name of the device, for example `cuda:0`. The part before the colon is the kind by which an MPI
    /// library is asked whether it accepts the address: `cuda` or `hip`.
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

    /// A message with this memory begins: returns when the device has done what it was given with it. Copies
    /// of what is returned wait for nothing that the device is given later.
    default DeviceMemory started() {
        return this;
    }
}
