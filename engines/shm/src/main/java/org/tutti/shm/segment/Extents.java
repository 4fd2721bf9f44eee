package org.tutti.shm.segment;

import java.util.ArrayList;
import java.util.List;
import org.tutti.job.os.OsPlatform;

/// What one rank takes of the job's segment, and gives back: that is its own to take again, the pages are the
/// system's meanwhile. Any thread may call.
public final class Extents {
    /// One that was taken.
    public record Extent(long at, long bytes) {}

    /// Those that are given back when the word at `countAt` is `all`.
    private record Closing(long countAt, long all, List<Extent> extents) {}

    private static final Closing[] NONE = {};

    private final Segment segment;
    private final OsPlatform door;
    private final FreeExtents free = new FreeExtents();
    private final List<Closing> closing = new ArrayList<>();

    public Extents(Segment segment, OsPlatform door) {
        this.segment = segment;
        this.door = door;
    }

    /// How many bytes are taken where `bytes` are asked for.
    public static long whole(long bytes) {
        return Segment.aligned(Math.max(bytes, 1), Segment.alignment(bytes));
    }

    /// Takes `bytes` bytes, zeroed, on a boundary of 64 bytes (4096 from a page on). Nothing is locked while pages
    /// are filled.
    ///
    /// @throws org.tutti.spi.Fault `ERR_NO_MEM` when there is no room for them
    public long take(long bytes, String what) {
        sweep();
        long at = takeFree(bytes);
        if (at < 0) return segment.extent(bytes, what);
        try {
            segment.renew(at, bytes, what);
            return at;
        } catch (Throwable e) {
            giveFree(at, bytes);
            throw e;
        }
    }

    /// Gives back what [#take] took.
    public void give(long at, long bytes) {
        door.release(segment.memory().segment().asSlice(at, bytes));
        giveFree(at, bytes);
    }

    /// Gives the system the pages that lie wholly in what nobody uses any more, and is never taken again.
    public void abandon(Extent of) {
        door.release(segment.memory().segment().asSlice(of.at, of.bytes));
    }

    /// Gives them back as soon as the word at `countAt`, which may lie in one of them, is `all`.
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

    /// Whether no other thread has.
    private boolean drop(Closing closed) {
        synchronized (closing) {
            // this very one: another one may be equal, whose extents were given back and taken again meanwhile
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
