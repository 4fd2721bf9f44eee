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

/// Executes short collective calls in the communicator's [CollectiveSlots], one at a time. Each rank posts the
/// call: it writes the call's signature and the operand to a slot. The content of a slot is a post. Each rank
/// then reads the posts of the other ranks. A call is one step, regardless of the number of ranks.
///
///     post ──▶ are the other ranks' posts present? ──▶ read, combine ──▶ finish
///
/// Some longer calls are executed in pieces, each like a call: a long allgather, an alltoall of medium length,
/// a long reduce of two ranks, and a long bcast or allreduce of more than two. Each rank then copies the data
/// into the segment once and out of it once; with messages between arrays, each message would be copied twice.
/// If the operand has a block for each rank, a piece of the call is a piece of every block. An operand already
/// in shared memory is published by address. In this case, a final piece without data signals to the owner that
/// all readers are done.
///
/// A piece of a long allreduce is two steps. Each rank posts the operand and combines one part of all operands,
/// then posts that part of the result. This needs no final piece: a rank that posts a part has read the
/// operands.
///
///     post the operand ──▶ combine one part ──▶ post the part of the result ──▶ read the other parts
///
/// Reductions combine from the last rank to the first, so that all ranks with the result get the same bits.
/// Called under the rank's progress lock.
final class FlatCall {
    /// The maximum number of ranks for slots. With more ranks, reading one cache line per rank costs more than
    /// a schedule.
    static final int MOST_RANKS = 32;

    /// An operand may be published by address if it is longer than [CollectiveSlots#pieceBytes], divided by
    /// this number. The call then has a final piece without data.
    private static final int BY_ADDRESS_PART = 4;

    /// The maximum block size of an alltoall in slots. Longer blocks are exchanged between pairs of ranks,
    /// which do not wait for all ranks.
    private static final int LONGEST_EXCHANGED = 128 << 10;

    private static final int LINE = 64;

    private final Shared memory;
    private final Bells bells;
    private final ShmCollective call;
    private @Nullable CollectiveSlots slots;
    private int size;
    private int me;

    /// The number of bytes of a bcast or reduction; the block size of an alltoall; the size of the longest
    /// block of an allgather.
    private long whole;

    private long number;

    /// The call number of the last piece. The next field is the offset of the current piece.
    private long lastNumber;

    private long offset;

    /// The number of bytes of [#whole] that are posted at a time.
    private long pieceBytes;

    /// Whether the operand, all blocks together, is longer than [CollectiveSlots#LONGEST].
    private boolean isLong;

    /// Whether a piece is two steps. The next field states whether the current step is the second step.
    private boolean byParts;

    private boolean sharing;

    /// Size of the operand that this rank copies into the slot, in bytes.
    private long bytes;

    /// Whether the call has a final piece without data.
    private boolean hasFinalPiece;

    /// The offset, in the segment, of the operand that this rank publishes by address; -1 if this rank copies
    /// the operand.
    private long addressOffset;

    private boolean posted;

    /// The rank of the next post to read.
    private int next;

    /// A counter of progress: the number of posts and steps.
    private long moves;

    private boolean busy;

    /// The reason why the call failed. If a user's operation fails in a call of several steps, the remaining
    /// steps are executed nevertheless, because other ranks wait for these steps, and a later call can be
    /// posted only after all steps of this call.
    private @Nullable Throwable failure;

    FlatCall(Shared memory, Bells bells, ShmCollective call) {
        this.memory = memory;
        this.bells = bells;
        this.call = call;
    }

    /// Returns whether a call is executed in slots. All ranks get the same result, because it depends only on
    /// values that the standard requires to be equal.
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

    /// Starts a call that [#suits], in the communicator's slots.
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
        boolean canUseAddress =
                call.kind == Kind.ALLGATHER || call.kind == Kind.ALLTOALL || call.kind == Kind.BCAST && size > 2;
        hasFinalPiece = canUseAddress && given > on.pieceBytes() / BY_ADDRESS_PART;
        long pieces = whole <= pieceBytes ? 1 : Math.ceilDiv(whole, pieceBytes);
        long steps = pieces * (byParts ? 2 : 1) + (hasFinalPiece ? 1 : 0);
        number = on.nextNumbers(steps);
        lastNumber = number + steps - 1;
        addressOffset = hasFinalPiece || byParts ? placeInJob() : -1;
        sharing = false;
        failure = null;
        beginPiece(0);
    }

    /// Continues a call of one piece, which the short path has posted as call `onNumber`. The post of rank
    /// `rank` is read next.
    void goOn(CollectiveSlots on, long onNumber, int rank) {
        slots = on;
        size = call.port().size();
        me = call.port().rank();
        whole = wholeBytes(call);
        isLong = false;
        byParts = false;
        sharing = false;
        hasFinalPiece = false;
        addressOffset = -1;
        pieceBytes = on.pieceBytes();
        number = onNumber;
        lastNumber = onNumber;
        failure = null;
        beginPiece(0);
        posted = true;
        next = rank;
    }

    /// Returns the offset of this rank's complete operand in the segment; -1 if the operand is elsewhere or
    /// must not be published by address. The operand of an in-place call, except an allgather, must not be
    /// published by address, because the result overwrites the operand while other ranks read it.
    private long placeInJob() {
        boolean isWrittenOver = call.inPlace && call.kind != Kind.ALLGATHER;
        if (isWrittenOver || call.kind == Kind.BCAST && me != call.root) return -1;
        // if the communicator survives deaths of ranks, a rank may abandon the call after a death, and reuse
        // memory that another rank still reads
        if (call.port().outlivesRanks()) return -1;
        long length = switch (call.kind) {
            case ALLGATHER -> call.recv.blockBytes(me);
            case ALLTOALL -> whole * size;
            default -> whole;
        };
        return memory.place(operand(), operandAt(), length);
    }

    /// Returns the memory of this rank's operand.
    private MemorySegment operand() {
        boolean isResult = call.inPlace || call.kind == Kind.BCAST;
        return isResult ? call.recv.memory.segment() : call.send.memory.segment();
    }

    /// Returns the offset of the operand in [#operand].
    private long operandAt() {
        return call.inPlace && call.kind == Kind.ALLGATHER ? call.recv.blockOffset(me) : 0;
    }

    /// Returns whether this is the final piece without data, for which the owners of operands published by
    /// address wait.
    private boolean isClosing() {
        return hasFinalPiece && number == lastNumber;
    }

    private void beginPiece(long at) {
        offset = at;
        bytes = isByAddress() ? 0 : postedBytes(me);
        posted = false;
        next = 0;
    }

    /// Advances the call. Returns true if the call has ended.
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
            abandon(why); // the other ranks need no more data from this rank and continue
            return true;
        } finally {
            busy = false;
        }
    }

    /// Ends the call with a failure.
    void abandon(Throwable why) {
        CollectiveSlots b = slots;
        if (b != null && posted) b.finish(number);
        failure = why;
        slots = null;
    }

    /// After the call has ended, returns the reason why it failed; null if it succeeded.
    @Nullable
    Throwable failure() {
        return failure;
    }

    /// Returns a number that changes whenever a call advances, even if [#advance] has not ended the call.
    long moves() {
        return moves;
    }

    /// Returns whether the call has ended although this rank has not published a post for which other ranks
    /// wait.
    boolean isMissing() {
        return !posted || number < lastNumber;
    }

    /// Returns whether [#advance] would make progress. Needs no lock and writes no state. The result can be
    /// outdated: in the meantime, this object may have started a call on a communicator of a different size.
    boolean hasPending() {
        CollectiveSlots b = slots;
        if (b == null) return true;
        if (!posted) return b.mightPost(number, bytes);
        int r = next;
        while (r < b.size() && !needs(r)) r++;
        return r >= b.size() || b.isThere(r, number);
    }

    /// Returns the rank that the call waits for, or -1.
    int waitsFor() {
        CollectiveSlots b = slots;
        if (b == null) return -1;
        if (posted) return next < size ? next : -1;
        // query once: a second query may return another rank
        int slowest = b.slowest(number, bytes);
        return slowest == me ? -1 : slowest;
    }

    /// Called before a sleep: requests a wake-up from the rank that [#waitsFor] returns. Otherwise that rank
    /// might not wake this rank.
    void announceWait() {
        CollectiveSlots b = slots;
        if (b != null && !posted) b.announceWait(number, bytes);
    }

    /// Advances a piece. Returns true if the piece is complete.
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
        if (isClosing()) return addressOffset >= 0;
        return switch (call.kind) {
            case BCAST -> rank == call.root;
            case REDUCE -> me == call.root;
            default -> true;
        };
    }

    /// Returns whether a different rank may be waiting until this rank has finished a call. This is likely in a
    /// broadcast or a reduce, in which other ranks can be several calls ahead of this rank, and for a long
    /// operand, because it overwrites the operand of an earlier call.
    private boolean isLikelyWaitedFor() {
        return call.kind == Kind.BCAST || call.kind == Kind.REDUCE || isLong;
    }

    private void compare(CollectiveSlots b, int rank, long upTo) {
        long other = b.contradiction(rank, upTo);
        if (other != 0) throw Mismatches.contradiction(call.port(), b, rank, other);
    }

    /// Returns the size of the operand that rank `rank` publishes in this step.
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

    /// Returns whether the root of a long reduction uses the operand in local memory instead of posting a copy.
    /// [#combineWithOwn] then always combines the other rank's operand first.
    private boolean rootPostsNothing() {
        return isLong && call.kind == Kind.REDUCE && call.reduction().isCommutative();
    }

    /// Returns the number of bytes in this piece, of `length` bytes in all pieces.
    private long ofPiece(long length) {
        return Math.clamp(length - offset, 0, pieceBytes);
    }

    /// Each rank combines one part of the current piece. Returns the offset, in the result, of rank `rank`'s
    /// part.
    private long part(int rank) {
        int width = call.send.type.bytes();
        return offset + ofPiece(whole) / width * rank / size * width;
    }

    private boolean isByAddress() {
        return addressOffset >= 0 && !sharing && postedBytes(me) > CollectiveSlots.SHORT;
    }

    private void post(CollectiveSlots b) {
        compareBefore(b);
        if (bytes > 0) copyOperand(b.operandRoom(number, bytes));
        if (!call.inPlace) keepOwnBlock();
        if (isByAddress()) b.publishAddress(number, addressOffset + offset);
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

    /// Copies a piece of each of the consecutive blocks. The block for this rank itself is not copied, because
    /// no rank reads it.
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

    /// Called before this rank overwrites a post: compares the post's call with the other ranks' calls, and
    /// also compares all later calls for which posts are present. The posts of a rank are in adjacent lines, so
    /// the posts of a slow rank are read together, once for several calls.
    private void compareBefore(CollectiveSlots b) {
        long over = number - b.posts();
        if (b.lastToCompare() >= over) {
            for (int r = 0; r < size; r++) if (!b.isCompared(r, over)) compare(b, r, number - 1);
        }
        // each reader of the root's operand compares the call with the root's call, and the root compares with
        // all ranks, so all calls are equal
        if (call.kind != Kind.BCAST || me == call.root) b.toCompare(number);
    }

    /// Copies the block that this rank sends to itself.
    private void keepOwnBlock() {
        if (call.kind != Kind.ALLGATHER && call.kind != Kind.ALLTOALL) return;
        long length = ofPiece(call.recv.blockBytes(me));
        if (length == 0) return; // there may be no memory after the end of the block
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
                long within = me * (b.isByAddress(rank, number, posted) ? whole : piece);
                memory.take(b.operand(rank, number, posted) + within, result, rank * whole + offset, piece);
            }
            default -> {}
        }
    }

    private Fault failedAt(int rank) {
        return Fault.message(
                PredefinedErrorClass.ERR_OP,
                call.operation,
                call.port().describeRank(rank)
                        + ", which combines a part of the result, could not: the operation has thrown an"
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
