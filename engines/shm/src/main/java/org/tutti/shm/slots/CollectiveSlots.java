package org.tutti.shm.slots;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;

/// The slots of a communicator, as seen by one rank. A post is the content of a slot: one rank's data of one
/// call. Collective calls are numbered from 1; each rank has slots for the last [Segment#posts] calls.
///
///     area of a rank    | info | post | post | … |                    a line of 64 bytes each
///
///     info              0 mark         8 done       16 [OperandRoom], two longs
///                       32 waited: 1 if a rank is to be woken when `done` increases
///     post              0 number       8 a  16 b  24 c      32 done
///                       40 operand, up to 24 bytes, or an offset in the segment; the complement if by address
///
/// All fields are int64. The mark is new for each communicator. `number` is stored last, with release. `a`,
/// `b`, `c` are the call's signature. `done` is the highest number such that the rank has finished all calls up
/// to this number. If the rank could not compute the operand of a post, the post contains the bitwise
/// complement of this number.
///
/// Call n reuses the slot of an earlier call, and the operand of call n may overwrite the operands of several
/// calls. The rank therefore waits until every rank has finished these calls ([#slowest]). A call that waits
/// for all ranks gets this information from their posts, without further reads. Before slots are reused, ranks
/// compare calls ([#contradiction]). Each rank compares with all ranks, except in a broadcast: a rank that
/// reads the root's operand compares only with the root, which compares with all ranks.
public final class CollectiveSlots {
    /// The maximum size of a short operand, all blocks together, in bytes. A short operand is posted in one
    /// step. How a longer operand is posted depends on the operation.
    public static final int LONGEST = 8 << 10;

    private static final int LINE = 64;
    static final int DONE = 8, NUMBER = 0;
    private static final int MARK = 0, ROOM = 16, WAITED = 32;
    private static final int A = 8, B = 16, C = 24, POST_DONE = 32, OPERAND = 40;

    /// The maximum size of an operand in the post itself, in bytes.
    public static final int SHORT = LINE - OPERAND;

    private final Segment segment;
    private final Shared memory;
    private final int me;

    /// The number of slots of a rank.
    private final int posts;

    private final OperandRoom room;

    /// The offsets of the ranks' areas; 0 while an offset is unknown, which occurs only in the world's slots.
    private final long[] areas;

    /// The mark that each area has while this communicator uses the area.
    private final long[] marks;

    private final int first;

    /// The number of calls that each rank is known to have finished.
    private final long[] done;

    /// For each rank, the last call of the rank that was compared with this rank's call of the same number, or
    /// that can no longer be compared.
    private final long[] compared;

    private long lastToCompare;

    private long assigned;

    /// The last call that this rank has posted.
    private long posted;

    /// A bit mask of the finished calls with numbers above `done[me]`.
    private long finished;

    /// @param areas the offset of each rank's area
    /// @param marks the mark that each rank has stored in its area for this communicator
    /// @param first the process number of rank 0 of the world
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

    /// Initializes the area at `at` for a new communicator. The other ranks do not know the area yet.
    static void clear(Segment segment, long at, long mark) {
        Shared memory = segment.memory();
        memory.setLongRelease(at + MARK, mark);
        VarHandle.fullFence();
        // memory for long operands is retained
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

    /// Returns the maximum size of an operand, a multiple of 4 KiB. Longer operands are posted in pieces, one
    /// call each.
    public int pieceBytes() {
        return OperandRoom.pieceBytes(segment);
    }

    /// Returns the offset of this rank's area.
    long area() {
        return areas[me];
    }

    /// Returns the number of calls that this rank has posted.
    public long posted() {
        return posted;
    }

    /// Returns whether this rank has finished call `number` and all earlier calls.
    public boolean isFinished(long number) {
        return done[me] >= number;
    }

    /// Returns the number of the next call, which is assigned by this method.
    public long nextNumber() {
        return nextNumbers(1);
    }

    /// Assigns numbers to the next `calls` calls. Returns the first of these numbers.
    public long nextNumbers(long calls) {
        assigned += calls;
        return assigned - calls + 1;
    }

    /// Returns whether this rank may post `number` now, with an operand of `bytes` bytes: all earlier calls
    /// have been posted, and [#slowest] returns no rank.
    public boolean mayPost(long number, long bytes) {
        return posted == number - 1 && slowest(number, bytes) < 0;
    }

    /// Like [#mayPost], but needs no lock. The method writes no state, and the result can be outdated.
    public boolean mightPost(long number, long bytes) {
        long needed = needed(number, bytes);
        for (int r = 0; r < areas.length; r++) if (done[r] < needed && publishedDone(r) < needed) return false;
        return posted == number - 1;
    }

    /// Returns a rank that must finish an earlier call before this rank can post `number`, or -1.
    public int slowest(long number, long bytes) {
        long needed = needed(number, bytes);
        for (int r = 0; r < areas.length; r++) if (done[r] < needed && !hasDone(r, needed)) return r;
        return -1;
    }

    /// Returns the last of this rank's calls whose slot or operand would be overwritten if call `number` were
    /// posted with an operand of `bytes` bytes.
    private long needed(long number, long bytes) {
        long same = number - posts;
        return bytes <= SHORT || posted != number - 1 ? same : room.overwritten(same, posted, bytes);
    }

    /// Called before a sleep: requests a wake-up from the [#slowest] rank when it has finished more calls.
    public void announceWait(long number, long bytes) {
        int rank = slowest(number, bytes);
        if (rank >= 0 && isKnown(rank)) memory.setLongRelease(areas[rank] + WAITED, 1L);
    }

    /// Returns whether to wake other ranks because this rank has finished a call.
    ///
    /// @param likely whether other ranks are likely to wait until this rank has finished a call; if false, a
    ///     waiting rank may be missed, and then sleeps slightly longer
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

    /// Returns the first call up to `number`, posted by this rank, for which rank `rank` posted a different
    /// call; 0 if none so far. Overwritten slots are not compared here: a rank compares a slot before it reuses
    /// the slot, so rank `rank` has already compared the call.
    public long contradiction(int rank, long number) {
        if (rank == me || !isKnown(rank)) return 0;
        compared[rank] = Math.max(compared[rank], posted - posts);
        while (compared[rank] < number) {
            long n = compared[rank] + 1;
            long there = memory.getLongAcquire(post(rank, n) + NUMBER);
            // a slot in the middle of reuse is not compared either, if a later post is present
            if (there < n && (n == number || !isThere(rank, number))) return 0;
            boolean differs = there == n && !isSame(rank, n);
            VarHandle.loadLoadFence();
            compared[rank] = n;
            if (differs && isThere(rank, n) && isHere(rank)) return n;
        }
        return 0;
    }

    /// Returns whether this rank has compared calls up to `number` with rank `rank`.
    public boolean isCompared(int rank, long number) {
        return rank == me || compared[rank] >= number;
    }

    /// Records that call `number` must be compared with every rank before the slot is reused.
    public void toCompare(long number) {
        lastToCompare = number;
    }

    /// Returns the last call recorded by [#toCompare]; 0 if none.
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

    /// Returns part 0, 1 or 2 of the signature of a post, which must be present.
    public long word(int rank, long number, int which) {
        return memory.getLong(post(rank, number) + A + 8L * which);
    }

    private int slot(long number) {
        return (int) number & posts - 1;
    }

    /// Returns the offset of this rank's post of call `number`.
    long postAt(long number) {
        return post(me, number);
    }

    private long post(int rank, long number) {
        return post(area(rank), number);
    }

    private long post(long area, long number) {
        return area + LINE + (long) LINE * slot(number);
    }

    /// Returns the offset, in the segment, at which this rank must write the operand of call `number` before
    /// [#publish]. Requires [#mayPost].
    public long operandRoom(long number, long bytes) {
        long inLine = post(me, number) + OPERAND;
        if (bytes <= SHORT) return inLine;
        long at = room.take(bytes);
        memory.setLong(inLine, at);
        return at;
    }

    /// Publishes the address of an operand; called instead of [#operandRoom]. The operand is at offset `at` in
    /// the segment; if the operand has a block for each rank, `at` is the start of the current piece in the
    /// first block. The memory must stay unchanged until every rank has finished the call. The operand must be
    /// longer than [#SHORT].
    public void publishAddress(long number, long at) {
        memory.setLong(post(me, number) + OPERAND, ~at);
    }

    /// Posts this rank's call `number`. Requires [#mayPost].
    ///
    /// @param failed whether the operand is missing because the computation failed
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

    /// Returns whether this rank can post the next call now, with an operand of at most [#SHORT] bytes, and has
    /// compared every post that would be overwritten. May return false although the call could be posted.
    public boolean mayPostNext() {
        if (posted != assigned) return false;
        long over = assigned + 1 - posts;
        for (int r = 0; r < areas.length; r++) {
            boolean isSlow = done[r] < over || lastToCompare >= over && compared[r] < over;
            if (r != me && (isSlow || areas[r] == 0)) return false;
        }
        return true;
    }

    /// Writes the operand of the next call, at most [#SHORT] bytes. Requires [#mayPostNext].
    public void putNext(MemorySegment from, long fromAt, long bytes) {
        memory.put(from, fromAt, areas[me] + LINE + LINE * ((assigned + 1) & posts - 1) + OPERAND, bytes);
    }

    /// Posts the next call. Returns the number of the call.
    ///
    /// @param compares whether to record the call as [#toCompare] does
    public long postNext(long a, long b, long c, boolean compares) {
        long number = ++assigned;
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

    /// Returns whether rank `rank` has posted call `number` with the same signature, and all earlier posts have
    /// been compared. The post must be present. If the result is false, [#contradiction] determines whether the
    /// calls differ.
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

    /// Returns whether rank `rank` has posted call `number` and has not yet reused the slot. Needs no lock.
    public boolean isThere(int rank, long number) {
        long at = area(rank);
        return at != 0 && memory.getLongAcquire(post(at, number) + NUMBER) == number;
    }

    /// Returns whether rank `rank` failed to compute the operand of a post. The post must be present.
    public boolean hasFailed(int rank, long number) {
        return memory.getLong(post(rank, number) + POST_DONE) < 0;
    }

    /// Returns the offset of the rank's area; 0 while unknown. Writes no state.
    private long area(int rank) {
        long at = areas[rank];
        return at == 0 ? segment.worldArea(first + rank) : at;
    }

    private boolean isKnown(int rank) {
        areas[rank] = area(rank);
        return areas[rank] != 0;
    }

    /// Returns the offset, in the segment, of the operand of a post. The post must be present.
    public long operand(int rank, long number, long bytes) {
        long inLine = post(rank, number) + OPERAND;
        if (bytes <= SHORT) return inLine;
        long at = memory.getLong(inLine);
        return at < 0 ? ~at : at;
    }

    /// Returns whether the operand is published by address. The published memory is then the user's memory,
    /// with complete blocks, and not a copy of the pieces.
    public boolean isByAddress(int rank, long number, long bytes) {
        return bytes > SHORT && memory.getLong(post(rank, number) + OPERAND) < 0;
    }

    /// Marks call `number` as finished: this rank needs no more posts of this call.
    public void finish(long number) {
        finished |= 1L << number - done[me] - 1;
        if ((finished & 1) == 0) return;
        int more = Long.numberOfTrailingZeros(~finished);
        finished = finished >>> more - 1 >>> 1; // two shifts: a shift by 64 would have no effect
        done[me] += more;
        memory.setLongRelease(areas[me] + DONE, done[me]);
    }

    /// Returns whether rank `rank` still uses this communicator, as far as known.
    public boolean isHere(int rank) {
        return isKnown(rank) && memory.getLongAcquire(areas[rank] + MARK) == marks[rank];
    }

    /// Returns the first of this rank's calls, among calls with a slot, that rank `rank`, which has stopped,
    /// has not finished; 0 if this rank has no such call.
    public long incomplete(int rank) {
        // a newer communicator may have reused the area; the values that were read are then invalid
        if (hasDone(rank, posted) || !isHere(rank)) return 0;
        return Math.max(done[rank] + 1, posted - posts + 1);
    }

    /// Returns whether rank `rank` has posted the call that follows this rank's last posted call.
    public boolean hasMore(int rank) {
        return isThere(rank, posted + 1) && isHere(rank);
    }

    /// Returns whether every rank has finished all of this rank's calls, so that this rank's area can be
    /// reused. A communicator may be closed while a call on it is active (MPI 4.1, section 7.4.3).
    boolean isOver() {
        if (done[me] < assigned) return false;
        for (int r = 0; r < areas.length; r++) {
            if (r != me && isHere(r) && done[r] < assigned && !hasDone(r, assigned)) return false;
        }
        return true;
    }
}
