package org.tutti.launch.output;

import java.util.concurrent.atomic.AtomicLong;

/// The limits of the buffers of all relays of a job. Each relay may have a small buffer. The sum of larger
/// buffers is limited, so that thousands of ranks with long lines do not exhaust the launcher's heap.
final class RelayMemory {
    private static final int FREE_BYTES = 64 << 10;

    private final int longestBytes;
    private final AtomicLong left;

    /// @param longestBytes the largest buffer of a single relay
    /// @param totalBytes the limit of the total size of buffers larger than 64 KiB
    RelayMemory(int longestBytes, long totalBytes) {
        this.longestBytes = longestBytes;
        this.left = new AtomicLong(totalBytes);
    }

    int longestBytes() {
        return longestBytes;
    }

    /// Returns whether a buffer of `bytes` bytes can grow now.
    boolean mayGrow(int bytes) {
        int more = more(bytes);
        return more > 0 && (bytes + more <= FREE_BYTES || left.get() >= bytes + more);
    }

    /// Returns the number of bytes by which a buffer of `bytes` bytes may grow; 0 if it has the maximum size, or
    /// if the total of the large buffers is exhausted. Reserves these bytes in the total if the buffer is large;
    /// if it is small and becomes large, reserves the new size.
    int grow(int bytes) {
        int more = more(bytes);
        int size = bytes + more;
        if (more == 0 || size <= FREE_BYTES) return more;
        int borrowed = isBorrowed(bytes) ? more : size;
        while (true) {
            long now = left.get();
            if (now < size) return 0;
            if (left.compareAndSet(now, now - borrowed)) return more;
        }
    }

    private int more(int bytes) {
        return Math.min(bytes, longestBytes - bytes);
    }

    /// Returns whether a buffer of `bytes` bytes counts toward the total of the large buffers.
    boolean isBorrowed(int bytes) {
        return bytes > FREE_BYTES;
    }

    void giveBack(int bytes) {
        left.addAndGet(bytes);
    }
}
