package org.tutti.inspect;

import org.tutti.job.process.UserLine;
import org.tutti.job.status.FlightRing;

/// Which line of the program an operation comes from, as a recorder notes it.
///
/// A walk of the stack costs a microsecond, many times what an operation may cost. So the first [#EXACT]
/// operations of a rank are walked, and later each that is the first of its like: its operation,
/// communicator, tag or root, and type. Others get the line of the last one like them. Where even new
/// likes are too many, they get none. With `--check` all are walked. Of locks of windows the like is the target.
final class Lines {
    private static final int EXACT = 512;

    /// Beyond the exact ones, one operation in so many may be walked.
    private static final int WALKED_SHIFT = 10;

    private final FlightRing ring;
    private final boolean always;
    private long walked;

    /// Of [#walked], those to locks, of which there are no entries in the ring.
    private int lockWalks;

    Lines(FlightRing ring, boolean always) {
        this.ring = ring;
        this.always = always;
    }

    /// Whether each operation is walked.
    boolean areExact() {
        return always || ring.last() < EXACT;
    }

    /// Whether one more may be walked.
    boolean mayWalk() {
        long so = ring.last();
        return always || so < EXACT || walked - EXACT <= so >> WALKED_SHIFT;
    }

    /// Whether the line of a lock is to be walked to, which takes nanoseconds itself: by the same rule.
    ///
    /// @param isFirst whether this rank has none yet of the window's target
    boolean mayWalkToLock(boolean isFirst) {
        if (lockWalks >= EXACT && !always && !(isFirst && mayWalk())) return false;
        lockWalks++;
        return true;
    }

    /// The number of the text of the line that the program is at; 0 where it is not known.
    int here() {
        walked++;
        String line = UserLine.here();
        return line.isEmpty() ? 0 : ring.text(line);
    }
}
