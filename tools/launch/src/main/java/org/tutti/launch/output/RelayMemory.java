package org.tutti.launch.output;

import java.util.concurrent.atomic.AtomicLong;

/// The limits of the buffers of all relays of a job. Each relay may have a small buffer; larger ones are
/// borrowed from
/// a total, so that many ranks with long lines do not exhaust the launcher's heap.
final class RelayMemory {
    private static final int FREE_BYTES = 64 << 10;

    private final int longestBytes;
    private final AtomicLong left;

    /// @param longestBytes the largest buffer of one relay
    /// @param totalBytes the limit of all buffers together that are larger than 64 KiB
    RelayMemory(int longestBytes, long totalBytes) {
        this.longestBytes = longestBytes;
        this.left = new AtomicLong(totalBytes);
    }

    int longestBytes() {
        return longestBytes;
    }

    /// Whether a buffer of `bytes` bytes can grow now.
    boolean mayGrow(int bytes) {
        int more = more(bytes);
        return more > 0 && (bytes + more <= FREE_BYTES || left.get() >= bytes + more);
    }

    /// Returns by how many bytes a buffer of `bytes` bytes may grow, and takes them from the total; 0 if it may
    /// not.
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

    /// Whether a buffer of `bytes` bytes is taken from the total.
    boolean isBorrowed(int bytes) {
        return bytes > FREE_BYTES;
    }

    void giveBack(int bytes) {
        left.addAndGet(bytes);
    }
}
