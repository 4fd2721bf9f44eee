package org.tutti.device.spi;

/// Memory that processes of one machine share, of a [DeviceDriver] whose library can do that.
///
/// Whoever exported memory frees it after all others have closed it; before, that is undefined.
public interface InterprocessMemory {
    /// Where memory is, for another process.
    ///
    /// @param handle of the whole allocation
    /// @param offset in it
    record Exported(byte[] handle, long offset) {}

    /// Exports what lies at an address of memory that [DeviceDriver#allocate] returned, or inside of it.
    ///
    /// @throws DeviceFault `UNSUPPORTED` when this library cannot do it
    Exported export(long address);

    /// Opens what another process exported; a process cannot open what it exported itself. Returns the
    /// address of the whole allocation, the same for every time that it is opened.
    long open(byte[] handle);

    /// Closes what [#open] returned, as often as that was called. Work that uses it has ended.
    void close(long address);
}
