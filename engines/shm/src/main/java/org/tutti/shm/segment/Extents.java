package org.tutti.shm.segment;

import java.util.ArrayList;
import java.util.List;
import org.tutti.job.os.OsPlatform;

/// Extents of the job's segment that one rank allocates and frees. The pages of a freed extent are returned to
/// the system; the rank can allocate the extent again. Thread-safe.
public final class Extents {
    /// An allocated extent.
    public record Extent(long at, long bytes) {}

    /// Extents that are freed when the counter at `countAt` reaches `all`.
    private record Closing(long countAt, long all, List<Extent> extents) {}

    private static final Closing[] NONE = {};

    private final Segment segment;
    private final OsPlatform platform;
    private final FreeExtents free = new FreeExtents();
    private final List<Closing> closing = new ArrayList<>();

    public Extents(Segment segment, OsPlatform platform) {
        this.segment = segment;
        this.platform = platform;
    }

    /// Returns the allocated size for a request of `bytes`.
    public static long whole(long bytes) {
        return Segment.aligned(Math.max(bytes, 1), Segment.alignment(bytes));
    }

    /// Allocates `bytes` zeroed bytes, aligned to 64 bytes, or to 4096 bytes if the size is at least a page.
    /// Holds no lock while pages are filled.
    ///
    /// @throws org.tutti.spi.Fault `ERR_NO_MEM` for lack of memory
    public long take(long bytes, String operation) {
        sweep();
        long at = takeFree(bytes);
        if (at < 0) return segment.extent(bytes, operation);
        try {
            segment.renew(at, bytes, operation);
            return at;
        } catch (Throwable e) {
            giveFree(at, bytes);
            throw e;
        }
    }

    /// Frees an extent allocated by [#take].
    public void give(long at, long bytes) {
        platform.release(segment.memory().segment().asSlice(at, bytes));
        giveFree(at, bytes);
    }

    /// Returns the complete pages of an unused extent to the system. The extent is not reused.
    public void abandon(Extent of) {
        platform.release(segment.memory().segment().asSlice(of.at, of.bytes));
    }

    /// Frees `extents` when the counter at `countAt` equals `all`: now, or in a later call of this method or of
    /// [#take]. The counter may be inside one of the extents.
    public void giveWhen(long countAt, long all, List<Extent> extents) {
        synchronized (closing) {
            closing.add(new Closing(countAt, all, extents));
        }
        sweep();
    }

    private void sweep() {
        for (Closing c : closing()) {
            if (isClosed(c) && drop(c)) c.extents.forEach(e -> give(e.at, e.bytes));
        }
    }

    private Closing[] closing() {
        synchronized (closing) {
            return closing.isEmpty() ? NONE : closing.toArray(NONE);
        }
    }

    /// Removes the entry. Returns false if it has already been removed.
    private boolean drop(Closing closed) {
        synchronized (closing) {
            // compared by identity: an equal entry may describe extents that were freed and allocated again
            return closing.removeIf(c -> c == closed);
        }
    }

    private boolean isClosed(Closing c) {
        return segment.memory().getLongAcquire(c.countAt) == c.all;
    }

    private synchronized long takeFree(long bytes) {
        return free.take(bytes, Segment.alignment(bytes));
    }

    private synchronized void giveFree(long at, long bytes) {
        free.give(at, bytes);
    }
}
