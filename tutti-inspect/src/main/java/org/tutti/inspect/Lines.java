package org.tutti.inspect;

import org.tutti.job.FlightRing;
import org.tutti.job.UserLine;

/// Which line of the program an operation comes from, as a recorder notes it.
///
/// A walk of the stack costs a microsecond, many times what an operation may cost. So the first [#EXACT]
/// operations of a rank are walked, and later each that is the first of its like: its operation,
/// communicator, tag or root, and type. Others get the line of the last one like them. Where even new
/// likes are too many, they get none. With `--check` all are walked.
final class Lines {
    private static final int EXACT = 512;

    /// Beyond the exact ones, one operation in so many may be walked.
    private static final int WALKED_SHIFT = 10;

    private static final int PLACES = 1024;

    private final FlightRing ring;
    private final boolean always;
    private final long[] keys = new long[PLACES];
    private final int[] lines = new int[PLACES];
    private long walked;

    Lines(FlightRing ring, boolean always) {
        this.ring = ring;
        this.always = always;
    }

    /// The number of the line's text. `what` tells operations apart; never 0.
    int of(long what) {
        int place = place(what);
        if (keys[place] == what && !always && ring.last() >= EXACT) return lines[place];
        return look(what, place);
    }

    private int look(long what, int place) {
        long so = ring.last();
        if (!always && so >= EXACT && walked - EXACT > so >> WALKED_SHIFT) return 0;
        walked++;
        String line = UserLine.here();
        int text = line.isEmpty() ? 0 : ring.text(line);
        keys[place] = what;
        lines[place] = text;
        return text;
    }

    private static int place(long what) {
        long mixed = what * 0x9e3779b97f4a7c15L;
        return (int) (mixed >>> 54);
    }
}
