package org.tutti.device.spi;

/// Memory that the host reads and writes by the same addresses as the device, of a [DeviceDriver] whose
/// library has that.
public interface ManagedAllocations {
    /// Whether this device has it, and the host may reach such memory while the device works with other.
    boolean hasManaged();

    /// Memory for at least `bytes` > 0 bytes, which [DeviceDriver#free] frees. What a stream writes is
    /// seen by the host after it has waited for the stream, what the host writes by what a stream is
    /// given later. Only where [#hasManaged].
    long allocateManaged(long bytes);
}
