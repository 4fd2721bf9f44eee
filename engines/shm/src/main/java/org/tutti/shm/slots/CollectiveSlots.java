package org.tutti.shm.slots;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;

/// The posts of one communicator's ranks, as one of them sees them. Calls on it are numbered from 1 on;
/// each rank has places for the last [Segment#posts] of its own.
///
///     area of a rank    | info | post | post | … |                    a line of 64 bytes each
///
///     info              0 mark         8 done       16 [OperandRoom], two words
///                       32 waited: 1 when somebody is to be woken once `done` is more
///     post              0 number       8 a  16 b  24 c      32 done
///                       40 operand, up to 24 bytes, or where in the segment it lies, the complement where it is lent
///
/// All are int64. The mark is new for each communicator. `number` is stored last, with release. `a`, `b`,
/// `c` say what call it is. `done` is how many calls its rank has finished: all up to that one; the complement of it
/// where the rank could not make its operand.
///
/// A rank posts call n over an earlier one, and its operand perhaps over those of some more, so it waits until
/// all have finished these ([#laggard]). In calls that wait for everybody the posts themselves tell so. Before
/// that, ranks have compared their calls ([#contradiction]): each with every other's, or where it has taken
/// something from one that does so, with that one's.
public final class CollectiveSlots {
    /// The longest operand, all blocks together, that is posted as it is, in one step. What becomes of longer ones
    /// differs by call.
    public static final int LONGEST = 8 << 10;

    private static final int LINE = 64;
    static final int DONE = 8, NUMBER = 0;
    private static final int MARK = 0, ROOM = 16, WAITED = 32;
    private static final int A = 8, B = 16, C = 24, POST_DONE = 32, OPERAND = 40;

    /// Operands up to so many bytes lie in the post itself.
    public static final int SHORT = LINE - OPERAND;

    private final Segment segment;
    private final Shared memory;
    private final int me;

    /// How many of its calls a rank has places for.
    private final int posts;

    private final OperandRoom room;

    /// Where the ranks' areas begin; 0 while it is not known, which is so in the world only.
    private final long[] areas;

    /// What is written there as long as they are of this communicator.
    private final long[] marks;

    private final int first;

    /// How many calls each rank is known to have finished.
    private final long[] done;

    /// The last call of each rank that was compared with this rank's, or can be no more.
    private final long[] compared;

    private long lastToCompare;

    private long begun;

    /// The last call that this rank has posted.
    private long posted;

    /// Calls above `done[me]` that are finished, bit by bit.
    private long finished;

    /// @param areas by rank
    /// @param marks by rank, as each has cleared its area with
    /// @param first of a world, its first process
    CollectiveSlots(Segment segment, int me, long[] areas, long[] marks, int first) {
        this.segment = segment;
        this.memory = segment.memory();
        this.me = me;
        this.areas = areas;
        this.marks = marks;
        this.first = first;
        posts = segment.posts();
        room = new OperandRoom(segment, areas[me] + ROOM);
        done = new long[areas.length];
        compared = new long[areas.length];
    }

    static int areaBytes(Segment segment) {
        return LINE * (1 + segment.posts());
    }

    /// Makes the area at `at` one of a new communicator, whose other ranks do not know of it yet.
    static void clear(Segment segment, long at, long mark) {
        Shared memory = segment.memory();
        memory.setLongRelease(at + MARK, mark);
        VarHandle.fullFence();
        // the room for long operands stays
        memory.setLong(at + DONE, 0L);
        memory.setLong(at + WAITED, 0L);
        memory.segment().asSlice(at + LINE, areaBytes(segment) - LINE).fill((byte) 0);
    }

    public int size() {
        return areas.length;
    }

    /// See [Segment#posts].
    public int posts() {
        return posts;
    }

    /// The longest operand, a multiple of 4 KiB. Longer ones are posted in pieces, as so many calls.
    public int pieceBytes() {
        return OperandRoom.pieceBytes(segment);
    }

    /// Where this rank's area begins.
    long area() {
        return areas[me];
    }

    /// How many calls this rank has posted.
    public long posted() {
        return posted;
    }

    /// Whether this rank has finished its call `number`, and all before.
    public boolean isFinished(long number) {
        return done[me] >= number;
    }

    /// The number of one more call.
    public long nextNumber() {
        return nextNumbers(1);
    }

    /// The first of the numbers of `calls` more calls.
    public long nextNumbers(long calls) {
        begun += calls;
        return begun - calls + 1;
    }

    /// Whether this rank may post `number`, with an operand of `bytes` bytes, now: it has posted all before, and
    /// there is no [#laggard].
    public boolean mayPost(long number, long bytes) {
        return posted == number - 1 && laggard(number, bytes) < 0;
    }

    /// As [#mayPost], for a look without the lock: writes nothing, and may be wrong for a moment.
    public boolean mightPost(long number, long bytes) {
        long needed = needed(number, bytes);
        for (int r = 0; r < areas.length; r++) if (done[r] < needed && publishedDone(r) < needed) return false;
        return posted == number - 1;
    }

    /// A rank that has to finish an earlier call before this rank may post `number`; -1 when there is none.
    public int laggard(long number, long bytes) {
        long needed = needed(number, bytes);
        for (int r = 0; r < areas.length; r++) if (done[r] < needed && !hasDone(r, needed)) return r;
        return -1;
    }

    /// The last of this rank's calls that `number` is posted over, with its operand.
    private long needed(long number, long bytes) {
        long same = number - posts;
        return bytes <= SHORT || posted != number - 1 ? same : room.overwritten(same, posted, bytes);
    }

    /// Before a sleep: asks the [#laggard] to wake others when it has finished more.
    public void announceWait(long number, long bytes) {
        int rank = laggard(number, bytes);
        if (rank >= 0 && isKnown(rank)) memory.setLongRelease(areas[rank] + WAITED, 1L);
    }

    /// Whether somebody is to be woken because this rank has finished a call.
    ///
    /// @param likely false where hardly anybody ever waits: then one may be overlooked, and sleeps a little
    ///     longer
    public boolean isWaitedFor(boolean likely) {
        if (likely) VarHandle.fullFence();
        if (memory.getLongAcquire(areas[me] + WAITED) == 0) return false;
        memory.setLongRelease(areas[me] + WAITED, 0L);
        VarHandle.fullFence();
        return true;
    }

    private boolean hasDone(int rank, long needed) {
        if (rank != me) done[rank] = publishedDone(rank);
        return done[rank] >= needed;
    }

    private long publishedDone(int rank) {
        long at = area(rank);
        return at == 0 ? 0 : memory.getLongAcquire(at + DONE);
    }

    /// The first call up to `number`, which this rank has posted, that rank `rank` has posted otherwise;
    /// 0 when there is none so far. A post with another one over it is past comparing: its rank has
    /// compared before. So is one that this rank has written over: the other one was about to write over its
    /// own then, and had compared.
    public long contradiction(int rank, long number) {
        if (rank == me || !isKnown(rank)) return 0;
        compared[rank] = Math.max(compared[rank], posted - posts);
        while (compared[rank] < number) {
            long n = compared[rank] + 1;
            long there = memory.getLongAcquire(post(rank, n) + NUMBER);
            // one that is being written over is past comparing, too, where a later one is there
            if (there < n && (n == number || !isThere(rank, number))) return 0;
            boolean differs = there == n && !isSame(rank, n);
            VarHandle.loadLoadFence();
            compared[rank] = n;
            if (differs && isThere(rank, n) && isHere(rank)) return n;
        }
        return 0;
    }

    /// Whether this rank has compared its calls up to `number` with those of rank `rank`.
    public boolean isCompared(int rank, long number) {
        return rank == me || compared[rank] >= number;
    }

    /// This rank's call `number` is to be compared with every other's before it is written over.
    public void toCompare(long number) {
        lastToCompare = number;
    }

    /// The last call of which [#toCompare] has told; 0 when there is none.
    public long lastToCompare() {
        return lastToCompare;
    }

    private boolean isSame(int rank, long number) {
        long mine = post(me, number);
        long other = post(rank, number);
        long finishedThere = memory.getLong(other + POST_DONE);
        done[rank] = Math.max(done[rank], finishedThere < 0 ? ~finishedThere : finishedThere);
        return memory.getLong(mine + A) == memory.getLong(other + A)
                && memory.getLong(mine + B) == memory.getLong(other + B)
                && memory.getLong(mine + C) == memory.getLong(other + C);
    }

    /// Word 0, 1 or 2 of a post that is there.
    public long word(int rank, long number, int which) {
        return memory.getLong(post(rank, number) + A + 8L * which);
    }

    private int slot(long number) {
        return (int) number & posts - 1;
    }

    /// Where this rank's post of call `number` begins.
    long postAt(long number) {
        return post(me, number);
    }

    private long post(int rank, long number) {
        return post(area(rank), number);
    }

    private long post(long area, long number) {
        return area + LINE + (long) LINE * slot(number);
    }

    /// Where in the segment this rank's operand for call `number`, which it [#mayPost], is to be written before
    /// [#publish].
    public long operandRoom(long number, long bytes) {
        long inLine = post(me, number) + OPERAND;
        if (bytes <= SHORT) return inLine;
        long at = room.take(bytes);
        memory.setLong(inLine, at);
        return at;
    }

    /// In place of [#operandRoom]: the operand, or this call's piece of its first block, lies at `at` in the segment,
    /// and all stays there until all have finished the call. Longer than [#SHORT].
    public void lend(long number, long at) {
        memory.setLong(post(me, number) + OPERAND, ~at);
    }

    /// Posts this rank's call `number`, which it [#mayPost].
    ///
    /// @param failed whether there is no operand, because making it has failed
    public void publish(long number, long a, long b, long c, boolean failed) {
        posted = number;
        room.posted(number);
        long at = post(me, number);
        memory.setLong(at + NUMBER, 0L);
        VarHandle.storeStoreFence();
        memory.setLong(at + A, a);
        memory.setLong(at + B, b);
        memory.setLong(at + C, c);
        memory.setLong(at + POST_DONE, failed ? ~done[me] : done[me]);
        memory.setLongRelease(at + NUMBER, number);
    }

    /// Whether this rank may post its next call now, with an operand of at most [#SHORT] bytes, and has compared every
    /// post that would be overwritten. True is certain, false is not.
    public boolean mayPostNext() {
        if (posted != begun) return false;
        long over = begun + 1 - posts;
        for (int r = 0; r < areas.length; r++) {
            boolean isBehind = done[r] < over || lastToCompare >= over && compared[r] < over;
            if (r != me && (isBehind || areas[r] == 0)) return false;
        }
        return true;
    }

    /// Writes the operand of the next call, which this rank [#mayPostNext], of at most [#SHORT] bytes.
    public void putNext(MemorySegment from, long fromAt, long bytes) {
        memory.put(from, fromAt, areas[me] + LINE + LINE * ((begun + 1) & posts - 1) + OPERAND, bytes);
    }

    /// Posts the next call; returns its number.
    ///
    /// @param compares whether [#toCompare] is told of it
    public long postNext(long a, long b, long c, boolean compares) {
        long number = ++begun;
        posted = number;
        if (compares) lastToCompare = number;
        room.posted(number);
        long at = areas[me] + LINE + LINE * (number & posts - 1);
        memory.setLong(at + NUMBER, 0L);
        VarHandle.storeStoreFence();
        memory.setLongs(at + A, a, b, c);
        memory.setLong(at + POST_DONE, done[me]);
        memory.setLongRelease(at + NUMBER, number);
        return number;
    }

    /// Whether rank `rank` has posted the same words for call `number`, which is there, and all its earlier posts are
    /// compared. If not, [#contradiction] says more.
    public boolean isNext(int rank, long number, long a, long b, long c) {
        if (compared[rank] != number - 1) return false;
        long at = areas[rank] + LINE + LINE * (number & posts - 1);
        long finishedThere = memory.getLong(at + POST_DONE);
        boolean isSame = memory.getLong(at + A) == a && memory.getLong(at + B) == b && memory.getLong(at + C) == c;
        if (!isSame || finishedThere < 0) return false;
        compared[rank] = number;
        done[rank] = Math.max(done[rank], finishedThere);
        return true;
    }

    /// Whether rank `rank` has posted its call `number`, and nothing over it. Needs no lock.
    public boolean isThere(int rank, long number) {
        long at = area(rank);
        return at != 0 && memory.getLongAcquire(post(at, number) + NUMBER) == number;
    }

    /// Whether rank `rank` could not make the operand of its post that is there.
    public boolean hasFailed(int rank, long number) {
        return memory.getLong(post(rank, number) + POST_DONE) < 0;
    }

    /// Where the rank's area begins; 0 while it is not known. Writes nothing.
    private long area(int rank) {
        long at = areas[rank];
        return at == 0 ? segment.worldArea(first + rank) : at;
    }

    private boolean isKnown(int rank) {
        areas[rank] = area(rank);
        return areas[rank] != 0;
    }

    /// Where the operand of a post that is there begins in the segment.
    public long operand(int rank, long number, long bytes) {
        long inLine = post(rank, number) + OPERAND;
        if (bytes <= SHORT) return inLine;
        long at = memory.getLong(inLine);
        return at < 0 ? ~at : at;
    }

    /// Whether that operand is the rank's own memory, with whole blocks, and no copy of their pieces.
    public boolean isLent(int rank, long number, long bytes) {
        return bytes > SHORT && memory.getLong(post(rank, number) + OPERAND) < 0;
    }

    /// This rank needs nobody's post of call `number` any more.
    public void finish(long number) {
        finished |= 1L << number - done[me] - 1;
        if ((finished & 1) == 0) return;
        int more = Long.numberOfTrailingZeros(~finished);
        finished = finished >>> more - 1 >>> 1; // there may be 64 of them, which a shift takes for none
        done[me] += more;
        memory.setLongRelease(areas[me] + DONE, done[me]);
    }

    /// Whether rank `rank` goes on using this communicator, as far as it is known.
    public boolean isHere(int rank) {
        return isKnown(rank) && memory.getLongAcquire(areas[rank] + MARK) == marks[rank];
    }

    /// The first of this rank's posts that rank `rank`, which makes no more, has not finished; 0 when
    /// there is none.
    public long unmade(int rank) {
        // what was read of an area that another communicator uses by now says nothing: this one is over there
        if (hasDone(rank, posted) || !isHere(rank)) return 0;
        return Math.max(done[rank] + 1, posted - posts + 1);
    }

    /// Whether rank `rank` has posted the call after this rank's last one.
    public boolean hasMore(int rank) {
        return isThere(rank, posted + 1) && isHere(rank);
    }

    /// Whether this rank and all others have finished its calls, so that its area may be used again. A
    /// communicator may be closed while a call on it is under way (MPI 4.1, section 7.4.3).
    boolean isOver() {
        if (done[me] < begun) return false;
        for (int r = 0; r < areas.length; r++) {
            if (r != me && isHere(r) && done[r] < begun && !hasDone(r, begun)) return false;
        }
        return true;
    }
}
