package org.tutti.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// One collective call: kind, buffers, counts, root, operation. Blank ones come from [Engine#collective].
///
/// | kind | `send` | `recv` | `count` | `recvCount` |
/// |---|---|---|---|---|
/// | barrier | | | | |
/// | bcast | | the buffer, on every rank | elements | |
/// | reduce | operand | result, at the root | elements | |
/// | allreduce, scan, exscan | operand | result | elements | |
/// | gather | own block | all blocks, at the root | of the own block | of each block |
/// | allgather | own block | all blocks | of the own block | of each block |
/// | scatter | all blocks, at the root | own block | of each block, at the root | of the own block |
/// | alltoall | a block for each rank | a block from each | of each block sent | of each received |
/// | reduce_scatter | operand | own block of the result | of the operand | of each block |
/// | alltoallw | `sendParts`: a block for each rank | `recvParts`: a block from each | | |
/// | neighbor allgather | own block | a block from each source | of the own block | of each block |
/// | neighbor alltoall | a block for each destination | a block from each source | of each sent | of each received |
/// | neighbor alltoallw | `sendParts` | `recvParts` | | |
///
/// In place means `inPlace`: the operand, or this rank's block, already lies in `recv`, and `send` is not
/// looked at; of a scatter, the root's own block stays in `send`, and its `recv` is not looked at; of an
/// alltoall, all ranks are in place or none, and `count` and `type` say what `recvCount` and `recvType`
/// do. With `blocks`, block r has `blocks.count(r)` elements and begins `blocks.displacement(r)` elements
/// into `recv`; of a reduce-scatter, into the operand, where the blocks lie one after the other and are
/// `count` elements together. `sendBlocks` say the same of `send`; of an alltoall that is not in place,
/// both are there or none. Calls among neighbors have `neighbors`; their blocks are numbered as the
/// neighbors are, and are never in place.
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
    public Memory send = Memory.NONE;
    public Memory recv = Memory.NONE;

    /// What [#send] and [#recv] were in the call before.
    public Memory lastSend = Memory.NONE;

    public Memory lastRecv = Memory.NONE;

    /// Elements of `type`; see the table.
    public long count;

    /// Elements of `recvType` in each block; unused with `blocks`.
    public long recvCount;

    /// Type of the operand, of the block sent, or of what is broadcast.
    public ElementType type = ElementType.BYTE;

    /// Type of the blocks received.
    public ElementType recvType = ElementType.BYTE;

    /// Of `recv`.
    public @Nullable Blocks blocks;

    /// Of `send`.
    public @Nullable Blocks sendBlocks;

    /// Of `alltoallw` and its like, in the place of `recv`.
    public @Nullable Parts recvParts;

    /// In the place of `send`.
    public @Nullable Parts sendParts;

    /// Of calls among neighbors.
    public @Nullable Neighbors neighbors;

    /// Of a call to which all ranks pass the same elements: the hash of their types where they are
    /// several, else 0.
    public int signature;

    /// Filled in anew since it was last started; a persistent call is started again as it is.
    public boolean fresh;

    /// Of reductions.
    public @Nullable Reduction op;

    /// Its sequence number among the collective calls on its communicator, equal on all ranks; since it began.
    public long sequence;

    /// Starts filling in; what is not set afterwards has the value that means "none".
    public final Collective fill(String operationName, CommPort port, Kind what, int rootRank) {
        operation = operationName;
        comm = port;
        kind = what;
        form = Form.BLOCKING;
        root = rootRank;
        inter = port.isInter();
        inPlace = false;
        lastSend = send;
        lastRecv = recv;
        send = Memory.NONE;
        recv = Memory.NONE;
        count = 0;
        recvCount = 0;
        type = ElementType.BYTE;
        recvType = ElementType.BYTE;
        blocks = null;
        sendBlocks = null;
        recvParts = null;
        sendParts = null;
        neighbors = null;
        signature = 0;
        op = null;
        fresh = true;
        return this;
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

    /// The length of block `rank` of `recv` in bytes.
    public final long blockBytes(int rank) {
        if (recvParts != null) return recvParts.lengthsBytes[rank];
        return recvType.size() * (blocks == null ? recvCount : blocks.count(rank));
    }

    /// Where block `rank` of `recv` begins, in bytes; of parts, their place.
    public final long blockOffset(int rank) {
        if (recvParts != null) return Parts.place(rank);
        return recvType.size() * (blocks == null ? recvCount * rank : blocks.displacement(rank));
    }

    /// The length of block `rank` of `send` in bytes.
    public final long sendBlockBytes(int rank) {
        if (sendParts != null) return sendParts.lengthsBytes[rank];
        return type.size() * (sendBlocks == null ? count : sendBlocks.count(rank));
    }

    /// Where block `rank` of `send` begins, in bytes; of parts, their place.
    public final long sendBlockOffset(int rank) {
        if (sendParts != null) return Parts.place(rank);
        return type.size() * (sendBlocks == null ? count * rank : sendBlocks.displacement(rank));
    }
}
