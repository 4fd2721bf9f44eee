package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory of a device, for example a GPU, which Java cannot access directly: the argument of
/// [Buf#buf(DeviceMemory)]. Buffers of `tutti-device` implement it; for tensors of other libraries, the program
/// implements this interface.
///
/// A message is transferred by copies through the host, piece by piece, or by its address if an MPI library
/// supports the device. The program must order other work on the device: a message begins when [#started] has
/// returned, and accesses the memory until the message is complete.
public interface DeviceMemory {
    /// Returns the name of the device, for example `cuda:0`. The part before the colon is the kind, `cuda` or
    /// `hip`: an MPI library reports by kind whether it accepts device addresses.
    String device();

    /// Returns the address of the memory on the device.
    long address();

    /// Returns the size in bytes.
    long byteSize();

    /// Returns the type of the elements, a predefined type.
    Datatype type();

    /// Copies `target.byteSize()` bytes to the host, starting at byte `from`; returns when the copy is
    /// complete.
    void copyTo(MemorySegment target, long from);

    /// Copies `source.byteSize()` bytes from the host, starting at byte `to`; returns when the copy is
    /// complete.
    void copyFrom(MemorySegment source, long to);

    /// Called when a message with this memory begins; returns when the device has completed earlier work on the
    /// memory. Copies of the returned memory do not wait for later work.
    default DeviceMemory started() {
        return this;
    }
}
