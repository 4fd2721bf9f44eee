package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: memory that the host and the device access by the same
/// addresses.
public interface ManagedAllocations {
    /// Returns whether this device supports managed memory, and the host may access it while the device works
    /// with other memory.
    boolean hasManaged();

    /// Allocates at least `bytes` bytes, which must be positive. [DeviceDriver#free] frees the memory. Data
    /// that a stream has written is visible to the host after the host has waited for the stream; data that the
    /// host has written is visible to later work of a stream. Requires [#hasManaged].
    long allocateManaged(long bytes);
}
