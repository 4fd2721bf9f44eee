package org.tutti.device;

import org.jspecify.annotations.Nullable;

/// A piece of a device's memory, which one buffer and its slices look at. Guarded by the device's lock.
final class Allocation {
    final long address;
    final long bytes;

    /// Whether somebody else frees it.
    final boolean wrapped;

    boolean freed;

    /// The stream that was given work with this memory last; null when there was none since it was made.
    @Nullable
    DeviceStream last;

    Allocation(long address, long bytes, boolean wrapped) {
        this.address = address;
        this.bytes = bytes;
        this.wrapped = wrapped;
    }
}
