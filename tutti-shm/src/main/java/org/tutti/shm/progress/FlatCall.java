package org.tutti.shm.progress;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Shared;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.Moves;

/// Does short collective calls on their communicator's [CollectiveSlots], one at a time: every rank posts its call,
/// with its operand, and takes what it needs from the posts of the others. One step, whatever the number
/// of ranks.
///
///     post ──▶ are the others' posts there? ──▶ take, combine ──▶ finish
///
/// A long bcast to several ranks is done in pieces, each as if it were a call: one copy in and one out for each
/// rank, where messages between arrays are copied twice each. A root whose buffer lies in the job's memory lends it
/// instead of copying; a closing piece without data then tells it that all have taken what they need.
///
/// A reduction is combined from the last rank to the first on every rank that wants the result, so all
/// get the same bits. Under the rank's progress lock.
final class FlatCall {
    /// With more ranks than this, each would read too many lines of others.
    private static final int MOST_RANKS = 32;

    /// A bcast of more than a piece divided by this has a closing piece.
    private static final int LENDABLE_PART = 4;

    private final Shared memory;
    private final Bells bells;
    private final ShmCollective call;
    private @Nullable CollectiveSlots slots;
    private int size;
    private int me;
    private long number;

    /// The number of the last piece; and what the piece `number` is of, where there are several.
    private long lastNumber;

    private long offset;

    /// Of the operand that this rank copies for the others.
    private long bytes;

    /// Whether there is a closing piece.
    private boolean lendable;

    /// Where in the job's memory the root's buffer begins that it lends; -1 where it copies.
    private long lentAt;

    private boolean posted;

    /// The rank whose post is looked at next.
    private int next;

    private boolean busy;
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
            case BCAST -> size > 2 || c.send.count * c.send.type.size() <= CollectiveSlots.LONGEST;
            case REDUCE, ALLREDUCE -> c.send.count * c.send.type.size() <= CollectiveSlots.LONGEST;
            case ALLGATHER -> longestBlock(c, size) <= CollectiveSlots.LONGEST;
            case ALLTOALL -> c.recv.blocks == null && c.recv.blockBytes(0) * size <= CollectiveSlots.LONGEST;
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
        boolean inPieces = call.kind == Kind.BCAST && size > 2;
        lendable = inPieces && wholeBytes() > on.pieceBytes() / LENDABLE_PART;
        long pieces = (inPieces ? Math.max(1, Math.ceilDiv(wholeBytes(), on.pieceBytes())) : 1) + (lendable ? 1 : 0);
        number = on.nextNumbers(pieces);
        lastNumber = number + pieces - 1;
        lentAt = lendable && me == call.root ? memory.place(call.recv.memory.segment(), 0, wholeBytes()) : -1;
        failure = null;
        beginPiece(on, 0);
    }

    /// Whether this is the piece without data, which a root that has lent its buffer waits for.
    private boolean isClosing() {
        return lendable && number == lastNumber;
    }

    private void beginPiece(CollectiveSlots b, long at) {
        offset = at;
        bytes = bytesToPost(b);
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
                beginPiece(b, offset + b.pieceBytes());
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
        }
        for (; next < size; next++) {
            if (!needs(next)) continue;
            if (!b.isThere(next, number)) return false;
            compare(b, next, number);
            take(b, next);
        }
        if (call.kind == Kind.ALLREDUCE || call.kind == Kind.REDUCE && me == call.root) combine(b);
        b.finish(number);
        if (b.isWaitedFor(isOneSided())) ringAll();
        return true;
    }

    private boolean needs(int rank) {
        if (rank == me) return false;
        return switch (call.kind) {
            case BCAST -> isClosing() ? lentAt >= 0 : rank == call.root;
            case REDUCE -> me == call.root;
            default -> true;
        };
    }

    /// Whether some ranks may be several calls ahead of others.
    private boolean isOneSided() {
        return call.kind == Kind.BCAST || call.kind == Kind.REDUCE;
    }

    private void compare(CollectiveSlots b, int rank, long upTo) {
        long other = b.contradiction(rank, upTo);
        if (other != 0) throw Mismatches.contradiction(call.port(), b, rank, other);
    }

    private long bytesToPost(CollectiveSlots b) {
        return switch (call.kind) {
            case BCAST -> me == call.root && !isLent(b) ? pieceBytes(b) : 0;
            case REDUCE, ALLREDUCE -> wholeBytes();
            case ALLGATHER -> call.recv.blockBytes(me);
            case ALLTOALL -> size * call.recv.blockBytes(me);
            default -> 0;
        };
    }

    private boolean isLent(CollectiveSlots b) {
        return lentAt >= 0 && pieceBytes(b) > CollectiveSlots.SHORT;
    }

    private long pieceBytes(CollectiveSlots b) {
        return Math.clamp(wholeBytes() - offset, 0, b.pieceBytes());
    }

    private long wholeBytes() {
        return call.send.count * call.send.type.size();
    }

    private void post(CollectiveSlots b) {
        compareBefore(b);
        if (bytes > 0) {
            boolean isResult = call.inPlace || call.kind == Kind.BCAST;
            MemorySegment from = isResult ? call.recv.memory.segment() : call.send.memory.segment();
            long at = call.inPlace && call.kind == Kind.ALLGATHER ? call.recv.blockOffset(me) : offset;
            memory.put(from, at, b.operandRoom(number, bytes), bytes);
            if (!call.inPlace) keepOwnBlock(from);
        }
        if (isLent(b)) b.lend(number, lentAt + offset);
        b.publish(number, call.wordA, call.wordB, call.wordC);
        if (call.kind == Kind.REDUCE || isClosing()) {
            if (me != call.root) bells.ring(call.port().process(call.root));
        } else if (call.kind != Kind.BCAST || me == call.root) {
            VarHandle.fullFence();
            ringAll();
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
    private void keepOwnBlock(MemorySegment from) {
        if (call.kind != Kind.ALLGATHER && call.kind != Kind.ALLTOALL) return;
        long fromAt = call.kind == Kind.ALLTOALL ? call.recv.blockOffset(me) : 0;
        Moves.copy(from, fromAt, call.recv.memory.segment(), call.recv.blockOffset(me), call.recv.blockBytes(me));
    }

    private void take(CollectiveSlots b, int rank) {
        switch (call.kind) {
            case BCAST -> {
                long piece = pieceBytes(b);
                if (piece > 0) memory.take(b.operand(rank, number, piece), call.recv.memory.segment(), offset, piece);
            }
            case ALLGATHER -> {
                long block = call.recv.blockBytes(rank);
                if (block == 0) return;
                long at = b.operand(rank, number, block);
                memory.take(at, call.recv.memory.segment(), call.recv.blockOffset(rank), block);
            }
            case ALLTOALL -> {
                long block = call.recv.blockBytes(rank);
                if (block == 0) return;
                long at = b.operand(rank, number, size * block) + me * block;
                memory.take(at, call.recv.memory.segment(), rank * block, block);
            }
            default -> {}
        }
    }

    private void combine(CollectiveSlots b) {
        if (bytes == 0) return;
        MemorySegment result = call.recv.memory.segment();
        memory.take(b.operand(size - 1, number, bytes), result, 0, bytes);
        Reduction op = call.reduction();
        for (int r = size - 2; r >= 0; r--) {
            op.apply(call.send.type, memory.segment(), b.operand(r, number, bytes), result, 0, call.send.count);
        }
    }
}
