package org.tutti.mpi;

import java.lang.foreign.MemorySegment;

/// Memory of a device, for example a GPU, which Java cannot access directly. It is the argument of
/// [Buf#buf(DeviceMemory)]. The buffers of `tutti-device` implement this interface; for tensors of other
/// libraries, the program implements it.
///
/// The data of a message is copied through the host: over shared memory piece by piece while the message is in
/// progress, over an MPI library with a complete copy on the host. If the library supports the device, it gets
/// the address of the memory instead. Collective calls use complete copies on the host, unless the ranks'
/// devices are connected; [Comm#explain] describes the transfer of a call. A message accesses the memory from
/// the return of [#started] until the message is complete; the program must synchronize other work on the
/// device with this access.
public interface DeviceMemory {
    /// Returns the name of the device, for example `cuda:0`. The part before the colon is the kind of the
    /// device, `cuda` or `hip`. An MPI library reports for each kind whether it accepts addresses on such
    /// devices.
    String device();

    /// Returns the address of the memory on the device.
    long address();

    /// Returns the size in bytes.
    long byteSize();

    /// Returns the type of the elements, which is a predefined type.
    Datatype type();

    /// Copies `target.byteSize()` bytes to the host, starting at byte `from`. Returns when the copy is
    /// complete.
    void copyTo(MemorySegment target, long from);

    /// Copies `source.byteSize()` bytes from the host, to the memory, starting at byte `to`. Returns when the
    /// copy is complete.
    void copyFrom(MemorySegment source, long to);

    /// Called when a message with this memory begins. Returns when the device has completed earlier work on the
    /// memory. A copy from or to the returned memory does not wait for later work.
    default DeviceMemory started() {
        return this;
    }
}
