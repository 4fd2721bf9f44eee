package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.Moves;

/// Does short collective calls on their communicator's [CollectiveSlots], one at a time: every rank posts its call,
/// with its operand, and takes what it needs from the posts of the others. One step, whatever the number
/// of ranks.
///
///     post ──▶ are the others' posts there? ──▶ take, combine ──▶ finish
///
/// A long allgather, an alltoall that is not very long, a long reduce of two ranks, and a long bcast or allreduce of
/// more, are done in pieces, each as if it were a call: one copy in and one out for each rank, where messages between
/// arrays
/// are copied twice each. Where there is a block for each rank, a piece of the call is a piece of every block. Who has
/// his operand in the job's memory lends it instead of copying; a closing piece without data then tells him that all
/// have taken what they need.
///
/// A piece of a long allreduce is two steps: each rank posts its operand and combines its part of all, then posts
/// that part of the result for the others. So nobody needs a closing piece: who posts his part has read the operands.
///
///     post the operand ──▶ combine own part ──▶ post the result's part ──▶ take the other parts
///
/// A reduction is combined from the last rank to the first, so that all who want the result get the same bits.
/// Under the rank's progress lock.
final class FlatCall {
    /// With more ranks than this, each would read too many lines of others.
    static final int MOST_RANKS = 32;

    /// Operands longer than the longest that fits into a post, divided by this, may be lent: the call has a closing
    /// piece.
    private static final int LENDABLE_PART = 4;

    /// The longest block of an alltoall. Longer ones are exchanged by two ranks at a time, which wait for nobody
    /// else.
    private static final int LONGEST_EXCHANGED = 128 << 10;

    private static final int LINE = 64;

    private final Shared memory;
    private final Bells bells;
    private final ShmCollective call;
    private @Nullable CollectiveSlots slots;
    private int size;
    private int me;

    /// The bytes of a bcast and of a reduction; of an alltoall those of a block, of an allgather of the longest one.
    private long whole;

    private long number;

    /// The number of the last piece; and what the piece `number` is of, where there are several.
    private long lastNumber;

    private long offset;

    /// How much of [#whole] is posted at a time.
    private long pieceBytes;

    /// Whether the operand is longer than [CollectiveSlots#LONGEST], all blocks together.
    private boolean isLong;

    /// Whether a piece is two steps, and whether this is the second one.
    private boolean byParts;

    private boolean sharing;

    /// Of the operand that this rank copies for the others.
    private long bytes;

    /// Whether there is a closing piece.
    private boolean lendable;

    /// Where in the job's memory the operand begins that this rank lends; -1 where it copies.
    private long lentAt;

    private boolean posted;

    /// The rank whose post is looked at next.
    private int next;

    /// How often a call here has gone on: with a post, or to the next step.
    private long moves;

    private boolean busy;

    /// Why it failed. Where an operation of the user's did, in a call of several steps, the steps that are left
    /// are taken nevertheless: others wait for them, and calls that follow have their numbers behind them.
    private @Nullable Throwable failure;

    FlatCall(Shared memory, Bells bells, ShmCollective call) {
        this.memory = memory;
        this.bells = bells;
        this.call = call;
    }

    /// Whether a call is done in this way. All ranks answer the same, out of what the standard makes equal on
    /// them.
    static boolean suits(Collective c) {
        int size = c.port().size();
        Reduction op = c.op;
        if (c.inter || size > MOST_RANKS || op != null && op.isInRankOrder()) return false;
        return switch (c.kind) {
            case BARRIER -> true;
            case BCAST -> size > 2 || wholeBytes(c) <= CollectiveSlots.LONGEST;
            // an element is never divided
            case REDUCE ->
                wholeBytes(c) <= CollectiveSlots.LONGEST || size == 2 && c.send.type.size() <= CollectiveSlots.LONGEST;
            case ALLREDUCE ->
                wholeBytes(c) <= CollectiveSlots.LONGEST || size > 2 && c.send.type.size() <= CollectiveSlots.LONGEST;
            case ALLGATHER -> true;
            case ALLTOALL -> c.recv.blocks == null && wholeBytes(c) <= LONGEST_EXCHANGED;
            case GATHER,
                    SCATTER,
                    REDUCE_SCATTER,
                    SCAN,
                    EXSCAN,
                    ALLTOALLW,
                    NEIGHBOR_ALLGATHER,
                    NEIGHBOR_ALLTOALL,
                    NEIGHBOR_ALLTOALLW -> false;
        };
    }

    private static long wholeBytes(Collective c) {
        int size = c.port().size();
        return switch (c.kind) {
            case ALLGATHER -> longestBlock(c, size);
            case ALLTOALL -> c.recv.blockBytes(0);
            default -> c.send.count * c.send.type.size();
        };
    }

    private static long longestBlock(Collective c, int size) {
        if (c.recv.blocks == null) return c.recv.blockBytes(0);
        long most = 0;
        for (int r = 0; r < size; r++) most = Math.max(most, c.recv.blockBytes(r));
        return most;
    }

    /// Begins the call, for which [#suits] is true, in its communicator's slots.
    void begin(CollectiveSlots on) {
        slots = on;
        size = call.port().size();
        me = call.port().rank();
        whole = wholeBytes(call);
        long given = call.kind == Kind.ALLTOALL ? whole * size : whole;
        isLong = given > CollectiveSlots.LONGEST;
        byParts = call.kind == Kind.ALLREDUCE && isLong;
        pieceBytes = on.pieceBytes();
        if (call.op != null) pieceBytes -= pieceBytes % call.send.type.bytes();
        if (call.kind == Kind.ALLTOALL && isLong) pieceBytes = pieceBytes / size & -LINE;
        boolean canLend =
                call.kind == Kind.ALLGATHER || call.kind == Kind.ALLTOALL || call.kind == Kind.BCAST && size > 2;
        lendable = canLend && given > on.pieceBytes() / LENDABLE_PART;
        long pieces = whole <= pieceBytes ? 1 : Math.ceilDiv(whole, pieceBytes);
        long steps = pieces * (byParts ? 2 : 1) + (lendable ? 1 : 0);
        number = on.nextNumbers(steps);
        lastNumber = number + steps - 1;
        lentAt = lendable || byParts ? placeInJob() : -1;
        sharing = false;
        failure = null;
        beginPiece(0);
    }

    /// Goes on with a call in one piece that is posted as `onNumber`; the post of `rank` is looked at next.
    void goOn(CollectiveSlots on, long onNumber, int rank) {
        slots = on;
        size = call.port().size();
        me = call.port().rank();
        whole = wholeBytes(call);
        isLong = false;
        byParts = false;
        sharing = false;
        lendable = false;
        lentAt = -1;
        pieceBytes = on.pieceBytes();
        number = onNumber;
        lastNumber = onNumber;
        failure = null;
        beginPiece(0);
        posted = true;
        next = rank;
    }

    /// Where in the job's memory this rank's whole operand lies; -1 where it does not, and where it may not be lent: an
    /// operand in place is written over while others read it.
    private long placeInJob() {
        boolean isWrittenOver = call.inPlace && call.kind != Kind.ALLGATHER;
        if (isWrittenOver || call.kind == Kind.BCAST && me != call.root) return -1;
        // when one has died the others give up, and may use their memory while another one still reads it
        if (call.port().outlivesRanks()) return -1;
        long length = switch (call.kind) {
            case ALLGATHER -> call.recv.blockBytes(me);
            case ALLTOALL -> whole * size;
            default -> whole;
        };
        return memory.place(operand(), operandAt(), length);
    }

    /// The memory in which this rank's operand lies.
    private MemorySegment operand() {
        boolean isResult = call.inPlace || call.kind == Kind.BCAST;
        return isResult ? call.recv.memory.segment() : call.send.memory.segment();
    }

    /// Where in [#operand] it begins.
    private long operandAt() {
        return call.inPlace && call.kind == Kind.ALLGATHER ? call.recv.blockOffset(me) : 0;
    }

    /// Whether this is the piece without data, for which those wait that have lent their operands.
    private boolean isClosing() {
        return lendable && number == lastNumber;
    }

    private void beginPiece(long at) {
        offset = at;
        bytes = isLent() ? 0 : postedBytes(me);
        posted = false;
        next = 0;
    }

    /// Goes on; true when it has ended.
    boolean advance() {
        CollectiveSlots b = slots;
        if (b == null) return true;
        if (busy) return false;
        busy = true;
        try {
            while (go(b)) {
                if (number == lastNumber) {
                    slots = null;
                    return true;
                }
                number++;
                moves++;
                sharing = byParts && !sharing;
                beginPiece(sharing ? offset : offset + pieceBytes);
            }
            return false;
        } catch (Throwable why) {
            giveUp(why); // the others have what they need of this rank, and go on
            return true;
        } finally {
            busy = false;
        }
    }

    /// Ends it.
    void giveUp(Throwable why) {
        CollectiveSlots b = slots;
        if (b != null && posted) b.finish(number);
        failure = why;
        slots = null;
    }

    /// Why it failed, once it has ended; null when it did not.
    @Nullable
    Throwable failure() {
        return failure;
    }

    /// Changes whenever a call here goes on, also where [#advance] does not end it.
    long moves() {
        return moves;
    }

    /// Whether it has ended without a post, for which all others wait.
    boolean isMissing() {
        return !posted || number < lastNumber;
    }

    /// Whether [#advance] would get further. Needs no lock, writes nothing, and may be wrong for a moment: the
    /// call may be begun anew meanwhile, in slots of another size.
    boolean hasNews() {
        CollectiveSlots b = slots;
        if (b == null) return true;
        if (!posted) return b.mightPost(number, bytes);
        int r = next;
        while (r < b.size() && !needs(r)) r++;
        return r >= b.size() || b.isThere(r, number);
    }

    /// The other rank that it waits for; -1 when there is none.
    int waitsFor() {
        CollectiveSlots b = slots;
        if (b == null) return -1;
        if (posted) return next < size ? next : -1;
        // asked once: the next answer may be another rank
        int laggard = b.laggard(number, bytes);
        return laggard == me ? -1 : laggard;
    }

    /// Before a sleep: asks to be woken by whom [#waitsFor] names, who may not know that he is waited for.
    void announceWait() {
        CollectiveSlots b = slots;
        if (b != null && !posted) b.announceWait(number, bytes);
    }

    /// Goes on with a piece; true when it is done.
    private boolean go(CollectiveSlots b) {
        if (!posted) {
            if (!b.mayPost(number, bytes)) return false;
            post(b);
            posted = true;
            moves++;
        }
        for (; next < size; next++) {
            if (!needs(next)) continue;
            if (!b.isThere(next, number)) return false;
            compare(b, next, number);
            take(b, next);
        }
        if (call.kind == Kind.ALLREDUCE && !sharing || call.kind == Kind.REDUCE && me == call.root) tryToCombine(b);
        b.finish(number);
        if (b.isWaitedFor(isLikelyWaitedFor())) ringAll();
        return true;
    }

    private boolean needs(int rank) {
        if (rank == me) return false;
        if (isClosing()) return lentAt >= 0;
        return switch (call.kind) {
            case BCAST -> rank == call.root;
            case REDUCE -> me == call.root;
            default -> true;
        };
    }

    /// Whether somebody may have to wait until this rank has finished a call: some may be several calls ahead,
    /// or post a long operand over the last one.
    private boolean isLikelyWaitedFor() {
        return call.kind == Kind.BCAST || call.kind == Kind.REDUCE || isLong;
    }

    private void compare(CollectiveSlots b, int rank, long upTo) {
        long other = b.contradiction(rank, upTo);
        if (other != 0) throw Mismatches.contradiction(call.port(), b, rank, other);
    }

    /// How long the operand is that rank `rank` posts or lends in this step.
    private long postedBytes(int rank) {
        return switch (call.kind) {
            case BCAST -> rank == call.root ? ofPiece(whole) : 0;
            case ALLGATHER -> ofPiece(call.recv.blockBytes(rank));
            case ALLREDUCE -> sharing ? part(rank + 1) - part(rank) : ofPiece(whole);
            case REDUCE -> rank == call.root && rootPostsNothing() ? 0 : ofPiece(whole);
            case ALLTOALL -> size * ofPiece(whole);
            default -> 0;
        };
    }

    /// Whether the root of a long reduction combines with its operand in place of a posted copy. It then combines
    /// in one order only.
    private boolean rootPostsNothing() {
        return isLong && call.kind == Kind.REDUCE && call.reduction().isCommutative();
    }

    /// How many of `length` bytes are in this piece.
    private long ofPiece(long length) {
        return Math.clamp(length - offset, 0, pieceBytes);
    }

    /// Where in the result the part of this piece begins that rank `rank` combines.
    private long part(int rank) {
        int width = call.send.type.bytes();
        return offset + ofPiece(whole) / width * rank / size * width;
    }

    private boolean isLent() {
        return lentAt >= 0 && !sharing && postedBytes(me) > CollectiveSlots.SHORT;
    }

    private void post(CollectiveSlots b) {
        compareBefore(b);
        if (bytes > 0) copyOperand(b.operandRoom(number, bytes));
        if (!call.inPlace) keepOwnBlock();
        if (isLent()) b.lend(number, lentAt + offset);
        b.publish(number, call.wordA, call.wordB, call.wordC, sharing && failure != null);
        if (call.kind == Kind.REDUCE || call.kind == Kind.BCAST && isClosing()) {
            if (me != call.root) bells.ring(call.port().process(call.root));
        } else if (call.kind != Kind.BCAST || me == call.root) {
            VarHandle.fullFence();
            ringAll();
        }
    }

    private void copyOperand(long to) {
        if (sharing) memory.put(call.recv.memory.segment(), part(me), to, bytes);
        else if (call.kind == Kind.ALLTOALL && isLong) copyPiecesOfBlocks(to);
        else memory.put(operand(), operandAt() + offset, to, bytes);
    }

    /// One behind the other; nobody looks at this rank's own.
    private void copyPiecesOfBlocks(long to) {
        long piece = ofPiece(whole);
        for (int r = 0; r < size; r++) {
            if (r != me) memory.put(operand(), r * whole + offset, to + r * piece, piece);
        }
    }

    private void ringAll() {
        for (int r = 0; r < size; r++)
            if (r != me) bells.ringAfterFence(call.port().process(r));
    }

    /// What is about to be written over is compared first. With it, all that can be: the posts of a rank that is
    /// behind are read once in many calls, one beside the other.
    private void compareBefore(CollectiveSlots b) {
        long over = number - b.posts();
        if (b.lastToCompare() >= over) {
            for (int r = 0; r < size; r++) if (!b.isCompared(r, over)) compare(b, r, number - 1);
        }
        // who takes from the root has compared with it; if all have, and the root with all, they are alike
        if (call.kind != Kind.BCAST || me == call.root) b.toCompare(number);
    }

    /// What this rank sends to itself.
    private void keepOwnBlock() {
        if (call.kind != Kind.ALLGATHER && call.kind != Kind.ALLTOALL) return;
        long length = ofPiece(call.recv.blockBytes(me));
        if (length == 0) return; // behind the end of the block there may be nothing at all
        long to = call.recv.blockOffset(me) + offset;
        long from = call.kind == Kind.ALLTOALL ? to : offset;
        Moves.copy(operand(), from, call.recv.memory.segment(), to, length);
    }

    private void take(CollectiveSlots b, int rank) {
        long posted = postedBytes(rank);
        if (posted == 0) return;
        MemorySegment result = call.recv.memory.segment();
        switch (call.kind) {
            case BCAST -> memory.take(b.operand(rank, number, posted), result, offset, posted);
            case ALLGATHER ->
                memory.take(b.operand(rank, number, posted), result, call.recv.blockOffset(rank) + offset, posted);
            case ALLREDUCE -> {
                if (!sharing) return;
                if (!b.hasFailed(rank, number))
                    memory.take(b.operand(rank, number, posted), result, part(rank), posted);
                else if (failure == null) failure = failedAt(rank);
            }
            case ALLTOALL -> {
                long piece = ofPiece(whole);
                long within = me * (b.isLent(rank, number, posted) ? whole : piece);
                memory.take(b.operand(rank, number, posted) + within, result, rank * whole + offset, piece);
            }
            default -> {}
        }
    }

    private Fault failedAt(int rank) {
        return Fault.message(
                PredefinedErrorClass.ERR_OP,
                call.operation,
                call.port().who(rank) + ", which combines a part of the result, could not: the operation has thrown an"
                        + " exception there",
                call.port());
    }

    private void tryToCombine(CollectiveSlots b) {
        if (failure != null) return;
        try {
            combine(b);
        } catch (Throwable why) {
            if (!isLong) throw why;
            failure = why;
        }
    }

    private void combine(CollectiveSlots b) {
        if (rootPostsNothing()) {
            combineWithOwn(b);
            return;
        }
        long posted = postedBytes(me);
        long from = byParts ? part(me) : offset;
        long length = byParts ? part(me + 1) - from : posted;
        if (length == 0) return;
        long within = from - offset;
        MemorySegment result = call.recv.memory.segment();
        memory.take(b.operand(size - 1, number, posted) + within, result, from, length);
        Reduction op = call.reduction();
        long count = length / call.send.type.bytes();
        for (int r = size - 2; r >= 0; r--) {
            op.apply(call.send.type, memory.segment(), b.operand(r, number, posted) + within, result, from, count);
        }
    }

    /// Combines a piece of a long, commutative reduction of two ranks.
    private void combineWithOwn(CollectiveSlots b) {
        int other = 1 - me;
        long length = postedBytes(other);
        MemorySegment result = call.recv.memory.segment();
        if (!call.inPlace) Moves.copy(operand(), offset, result, offset, length);
        long count = length / call.send.type.bytes();
        call.reduction()
                .apply(call.send.type, memory.segment(), b.operand(other, number, length), result, offset, count);
    }
}
