package org.tutti.device;

import org.jspecify.annotations.Nullable;

/// An allocation of device memory, shared by one buffer and the slices of that buffer. Guarded by the device's
/// lock.
final class Allocation {
    final long address;
    final long bytes;

    /// Whether the memory is freed by a different library.
    final boolean wrapped;

    boolean freed;

    /// The stream that last received work with this memory; null before the first work.
    @Nullable
    DeviceStream last;

    Allocation(long address, long bytes, boolean wrapped) {
        this.address = address;
        this.bytes = bytes;
        this.wrapped = wrapped;
    }
}
