package org.tutti.inspect;

import org.tutti.job.process.UserLine;
import org.tutti.job.status.FlightRing;

/// The line of the program that calls an operation, as a recorder stores it.
///
/// A walk of the stack costs a microsecond, far more than an operation. Therefore the stack is walked for the
/// first [#EXACT] operations of a rank, and later only for the first of several similar operations. Operations
/// are similar if name, communicator, tag or root, and type are equal. Later operations get the line of the
/// last similar operation. If there are too many kinds of operations, further operations get no line. With
/// `--check` the stack is walked for all operations. Locks of windows are similar if the targets are equal.
final class Lines {
    private static final int EXACT = 512;

    /// After the first operations, the stack can be walked for at most one operation in 2^`WALKED_SHIFT`.
    private static final int WALKED_SHIFT = 10;

    private final FlightRing ring;
    private final boolean always;
    private long walked;

    /// The number of walks for locks, which have no entries in the ring. [#walked] includes these walks.
    private int lockWalks;

    Lines(FlightRing ring, boolean always) {
        this.ring = ring;
        this.always = always;
    }

    /// Returns whether the stack is walked for each operation.
    boolean areExact() {
        return always || ring.last() < EXACT;
    }

    /// Returns whether the limits permit one more walk of the stack.
    boolean mayWalk() {
        long so = ring.last();
        return always || so < EXACT || walked - EXACT <= so >> WALKED_SHIFT;
    }

    /// Returns whether the stack may be walked for a lock: always with `--check` and for the first [#EXACT]
    /// locks, and later only if `isFirst` is true and [#mayWalk] permits the walk. Walks are limited because a
    /// lock itself costs only nanoseconds.
    ///
    /// @param isFirst whether this rank has no line for the window's target yet
    boolean mayWalkToLock(boolean isFirst) {
        if (lockWalks >= EXACT && !always && !(isFirst && mayWalk())) return false;
        lockWalks++;
        return true;
    }

    /// Returns the number under which the recorder stores the text of the program's current line; 0 if the line
    /// is not known.
    int here() {
        walked++;
        String line = UserLine.here();
        return line.isEmpty() ? 0 : ring.text(line);
    }
}
