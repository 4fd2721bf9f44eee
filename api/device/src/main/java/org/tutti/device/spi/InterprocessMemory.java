package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: memory shared between processes of a machine.
///
/// The exporting process must free the memory only after all other processes have closed it; otherwise, the
/// result is undefined.
public interface InterprocessMemory {
    /// The location of memory, for use by other processes.
    ///
    /// @param handle the handle of the whole allocation
    /// @param offset the offset in the allocation
    record Exported(byte[] handle, long offset) {}

    /// Exports memory that [DeviceDriver#allocate] has returned, starting at an address within this memory.
    ///
    /// @throws DeviceFault `UNSUPPORTED` if the library does not support this
    Exported export(long address);

    /// Opens memory that a different process has exported. Returns the address of the whole allocation. Further
    /// calls for the same memory return the same address.
    long open(byte[] handle);

    /// Closes memory that [#open] has opened. Must be called once for each call of `open`. No work with this
    /// memory may be pending.
    void close(long address);
}
