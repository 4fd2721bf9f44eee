package org.tutti.device;

import org.jspecify.annotations.Nullable;

/// An allocation of device memory, which a buffer shares with all slices of that buffer. Guarded by the
/// device's lock.
final class Allocation {
    final long address;
    final long bytes;

    /// Whether a different library owns and frees the memory.
    final boolean wrapped;

    boolean freed;

    /// The stream on which the most recent work with this memory was queued; null before the first work.
    @Nullable
    DeviceStream last;

    Allocation(long address, long bytes, boolean wrapped) {
        this.address = address;
        this.bytes = bytes;
        this.wrapped = wrapped;
    }
}
