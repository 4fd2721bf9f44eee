package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: memory that the host and the device access by the same
/// addresses.
public interface ManagedAllocations {
    /// Returns whether this device supports managed memory, and the host may access it while the device works
    /// with other memory.
    boolean hasManaged();

    /// Allocates at least `bytes` > 0 bytes, freed by [DeviceDriver#free]. The host sees data written by a
    /// stream after waiting for the stream; later work of a stream sees data written by the host. Requires
    /// [#hasManaged].
    long allocateManaged(long bytes);
}
