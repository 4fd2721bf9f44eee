package org.tutti.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// One collective call: kind, form, root, operation, neighbors, and two operands. Blank ones come from
/// [Engine#collective].
///
/// | kind | `send` | `recv` |
/// |---|---|---|
/// | barrier | | |
/// | bcast | count and type, on every rank | the buffer, on every rank |
/// | reduce | the operand | the result, at the root |
/// | allreduce, scan, exscan | the operand | the result |
/// | gather | own block | all blocks, at the root |
/// | allgather | own block | all blocks |
/// | scatter | all blocks, at the root | own block |
/// | alltoall | a block for each rank | a block from each |
/// | reduce_scatter | the operand | own block of the result; count or blocks of each block |
/// | alltoallw | parts: a block for each rank | parts: a block from each |
/// | neighbor allgather | own block | a block from each source |
/// | neighbor alltoall | a block for each destination | a block from each source |
/// | neighbor alltoallw | parts | parts |
///
/// Of a bcast and of reductions, count and type are those of `send`, also for what lies in `recv`. The count
/// of blocks is that of each block.
///
/// In place means `inPlace`: the operand, or this rank's block, already lies in `recv`, and `send`'s memory is not
/// looked at; of a scatter, the root's own block stays in `send`, and its `recv` is not looked at; of an
/// alltoall, all ranks are in place or none, and `send` says how many elements of which type `recv` has. Of a
/// reduce-scatter, the blocks of `recv` are places in the operand, where they lie one after the other and are
/// `send.count` elements together. Of an alltoall that is not in place, both operands have blocks or none. Calls
/// among neighbors have `neighbors`; their blocks are numbered as the neighbors are, and are never in place.
///
/// Between two groups ([#inter]) nothing is in place, there are no scans, and *each rank* of blocks that
/// are moved is each of the other group; what a group gives the other one gets. The blocks of a
/// reduce-scatter are one for each rank of the caller's group, which gets the result of the other one.
public abstract non-sealed class Collective extends Activity {
    /// A new collective operation is one more of these and one algorithm.
    public enum Kind {
        BARRIER,
        BCAST,
        REDUCE,
        ALLREDUCE,
        GATHER,
        ALLGATHER,
        SCATTER,
        ALLTOALL,
        REDUCE_SCATTER,
        SCAN,
        EXSCAN,
        ALLTOALLW,
        NEIGHBOR_ALLGATHER,
        NEIGHBOR_ALLTOALL,
        NEIGHBOR_ALLTOALLW;

        private static final Kind[] ALL = values();

        /// The kind with this ordinal, as it travels in envelopes.
        public static Kind of(int ordinal) {
            return ALL[ordinal];
        }

        /// Whether one rank is the root.
        public boolean rooted() {
            return this == BCAST || this == REDUCE || this == GATHER || this == SCATTER;
        }

        /// Whether only neighbors in a topology exchange data.
        public boolean amongNeighbors() {
            return this == NEIGHBOR_ALLGATHER || this == NEIGHBOR_ALLTOALL || this == NEIGHBOR_ALLTOALLW;
        }

        /// Whether types need only be equal between the two ranks of a message, so that each message is
        /// looked at. Between two groups ([#inter]) more need not be equal: what goes one way has nothing to
        /// do with what goes the other way.
        public boolean typedByMessage(boolean inter) {
            return this == ALLTOALLW || amongNeighbors() || inter && (this == ALLGATHER || this == ALLTOALL);
        }
    }

    /// How it was called. Calls of different forms do not match (MPI 4.1, sections 6.12 and 6.13).
    public enum Form {
        BLOCKING,
        NONBLOCKING,
        PERSISTENT
    }

    /// The blocks of a v form, in elements of their type.
    public record Blocks(long[] counts, long[] displacements) {
        public long count(int rank) {
            return counts[rank];
        }

        public long displacement(int rank) {
            return displacements[rank];
        }
    }

    /// Blocks that lie in memories of their own, each with a type of its own: one for each rank or neighbor.
    public record Parts(Memory[] memories, ElementType[] types, long[] lengthsBytes) {
        /// The [#place]s of different parts are so far from each other.
        private static final int PLACE_SHIFT = 40;

        /// Where part `i` begins, for algorithms that reckon with places: as if all parts lay in one long
        /// memory.
        public static long place(int i) {
            return (long) i << PLACE_SHIFT;
        }

        /// In which part such a place lies.
        public static int part(long place) {
            return (int) (place >>> PLACE_SHIFT);
        }

        /// Where in its part such a place lies, in bytes.
        public static long within(long place) {
            return place & (1L << PLACE_SHIFT) - 1;
        }
    }

    /// One of the two: where elements lie, how many and of which type.
    public static final class Operand {
        public Memory memory = Memory.NONE;

        /// The memory in the call before.
        public Memory last = Memory.NONE;

        private static final long SMALLEST_ROOM_BYTES = 64;

        private MemorySegment room = MemorySegment.NULL;

        /// Elements of [#type], in all or in each block; unused with [#blocks].
        public long count;

        public ElementType type = ElementType.BYTE;

        /// Blocks of different lengths, or at places of their own.
        public @Nullable Blocks blocks;

        /// In the place of everything else.
        public @Nullable Parts parts;

        private Operand() {}

        private void clear() {
            last = memory;
            memory = Memory.NONE;
            count = 0;
            type = ElementType.BYTE;
            blocks = null;
            parts = null;
        }

        /// Room for a copy that the caller makes of data: what its last call had, if that is large enough. Nobody frees
        /// it but the collector, whatever becomes of the data's owner while the call is under way.
        public MemorySegment room(long bytes) {
            if (room.byteSize() < bytes) {
                room = Arena.ofAuto().allocate(Math.max(SMALLEST_ROOM_BYTES, Long.highestOneBit(bytes - 1) * 2), 64);
            }
            return room.asSlice(0, bytes);
        }

        /// Forgets room that is longer than this.
        public void keepRoom(long mostBytes) {
            if (room.byteSize() > mostBytes) room = MemorySegment.NULL;
        }

        /// The elements of block `rank`.
        public long count(int rank) {
            return blocks == null ? count : blocks.count(rank);
        }

        /// Where block `rank` begins, in elements.
        public long displacement(int rank) {
            return blocks == null ? count * rank : blocks.displacement(rank);
        }

        /// The length of block `rank` in bytes.
        public long blockBytes(int rank) {
            if (parts != null) return parts.lengthsBytes[rank];
            return type.size() * count(rank);
        }

        /// Where block `rank` begins, in bytes; of parts, their place.
        public long blockOffset(int rank) {
            if (parts != null) return Parts.place(rank);
            return type.size() * displacement(rank);
        }

        /// The length of `ranks` blocks together, without what may lie between them.
        public long bytes(int ranks) {
            if (blocks == null && parts == null) return ranks == 0 ? 0 : ranks * blockBytes(0);
            long sum = 0;
            for (int r = 0; r < ranks; r++) sum += blockBytes(r);
            return sum;
        }
    }

    /// Whom this rank sends to and receives from, [Transfer#PROC_NULL] for nobody, in the order of its
    /// blocks. Where two ranks are neighbors several times, their messages are matched in the order in
    /// which they are sent, which is the one of `sendOrder`, places in `destinations`; receives are in
    /// the order of `sources`.
    public record Neighbors(int[] sources, int[] destinations, int[] sendOrder) {}

    public Kind kind = Kind.BARRIER;
    public Form form = Form.BLOCKING;

    /// Rank of the port. Between two groups, `PROC_NULL` on those who are with the root and take no part.
    public int root;

    /// Between the two groups of an intercommunicator; else within all ranks of the port.
    public boolean inter;

    public boolean inPlace;

    /// What this rank gives, or says of the elements; see the table.
    public final Operand send = new Operand();

    /// What it gets.
    public final Operand recv = new Operand();

    /// Of calls among neighbors.
    public @Nullable Neighbors neighbors;

    /// Of a call to which all ranks pass the same elements: the hash of their types where they are
    /// several, else 0.
    public int signature;

    /// Of reductions.
    public @Nullable Reduction op;

    /// The words of [CallSignature], once they are made: they are asked for several times.
    private long a;

    private long b;
    private long c;
    private boolean isDescribed;

    /// Its sequence number among the collective calls on its communicator, equal on all ranks; since it began.
    public long sequence;

    protected Collective() {
        super(Family.COLLECTIVE);
    }

    /// [#sequence], also of one that is about to begin.
    public final long number() {
        return isDone() ? port().calls() + 1 : sequence;
    }

    /// Starts filling in; what is not set afterwards has the value that means "none".
    public final Collective fill(String operationName, CommPort port, Kind what, int rootRank) {
        operation = operationName;
        comm = port;
        kind = what;
        form = Form.BLOCKING;
        root = rootRank;
        inter = port.isInter();
        inPlace = false;
        send.clear();
        recv.clear();
        neighbors = null;
        sequence = 0;
        signature = 0;
        op = null;
        isDescribed = false;
        return this;
    }

    /// Makes the words of [CallSignature], where they are not made: all is filled in.
    public final void describe() {
        if (isDescribed) return;
        a = CallSignature.a(this);
        b = CallSignature.b(this);
        c = CallSignature.c(this, 0);
        isDescribed = true;
    }

    /// See [CallSignature]; after [#describe].
    public final long wordA() {
        return a;
    }

    public final long wordB() {
        return b;
    }

    /// Without its number.
    public final long wordC() {
        return c;
    }

    @Override
    public final void begin() {
        super.begin();
        sequence = port().countCall();
    }

    /// Makes it a call within all ranks of the port, also where that is an intercommunicator's.
    public final Collective withinAll() {
        inter = false;
        return this;
    }

    /// See [Kind#typedByMessage].
    public final boolean typedByMessage() {
        return kind.typedByMessage(inter);
    }

    /// The reduction operation of a call that has one.
    public final Reduction reduction() {
        Reduction o = op;
        if (o == null) throw new IllegalStateException(operation + ": reduction without an operation");
        return o;
    }

    /// The neighbors of a call among neighbors.
    public final Neighbors neighborhood() {
        Neighbors n = neighbors;
        if (n == null) throw new IllegalStateException(operation + ": a call among neighbors without them");
        return n;
    }
}
