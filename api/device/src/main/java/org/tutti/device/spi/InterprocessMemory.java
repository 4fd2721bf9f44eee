package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: memory shared between processes of a machine.
///
/// The exporter frees memory only after all other processes have closed it; freeing earlier is undefined.
public interface InterprocessMemory {
    /// The location of memory, for use by other processes.
    ///
    /// @param handle the handle of the whole allocation
    /// @param offset the offset in the allocation
    record Exported(byte[] handle, long offset) {}

    /// Exports memory allocated by [DeviceDriver#allocate], starting at an address inside it.
    ///
    /// @throws DeviceFault `UNSUPPORTED` if not supported by the library
    Exported export(long address);

    /// Opens memory exported by a different process. Returns the address of the whole allocation; opening it
    /// again returns the same address.
    long open(byte[] handle);

    /// Closes memory opened by [#open], once for each call. No work with it is pending.
    void close(long address);
}
