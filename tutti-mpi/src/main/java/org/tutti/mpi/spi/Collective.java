package org.tutti.mpi.spi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

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
///
/// In place means `inPlace`: the operand, or this rank's block, already lies in `recv`, and `send` is not
/// looked at; of a scatter, the root's own block stays in `send`, and its `recv` is not looked at; of an
/// alltoall, all ranks are in place or none, and `count` and `type` say what `recvCount` and `recvType`
/// do. With `blocks`, block r has `blocks.count(r)` elements and begins `blocks.displacement(r)` elements
/// into `recv`; of a reduce-scatter, into the operand, where the blocks lie one after the other and are
/// `count` elements together. `sendBlocks` say the same of `send`; of an alltoall that is not in place,
/// both are there or none.
public abstract class Collective extends Activity {
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
        EXSCAN;

        private static final Kind[] ALL = values();

        /// The kind with this ordinal, as it travels in envelopes.
        public static Kind of(int ordinal) {
            return ALL[ordinal];
        }

        /// Whether one rank is the root.
        public boolean rooted() {
            return this == BCAST || this == REDUCE || this == GATHER || this == SCATTER;
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

    public Kind kind = Kind.BARRIER;
    public Form form = Form.BLOCKING;
    public int root;
    public boolean inPlace;
    public Memory send = Memory.NONE;
    public Memory recv = Memory.NONE;

    /// Elements of `type`; see the table.
    public long count;

    /// Elements of `recvType` in each block; unused with `blocks`.
    public long recvCount;

    /// Type of the operand, of the block sent, or of what is broadcast.
    public Datatype type = Datatype.BYTE;

    /// Type of the blocks received.
    public Datatype recvType = Datatype.BYTE;

    /// Of `recv`.
    public @Nullable Blocks blocks;

    /// Of `send`.
    public @Nullable Blocks sendBlocks;

    /// Filled in anew since it was last started; a persistent call is started again as it is.
    public boolean fresh;

    /// Of reductions.
    public @Nullable Op op;

    /// For the engine: the how-manieth collective call on its communicator this is.
    public long sequence;

    /// Starts filling in; what is not set afterwards has the value that means "none".
    public final Collective fill(String operationName, CommPort port, Kind what, int rootRank) {
        operation = operationName;
        comm = port;
        kind = what;
        form = Form.BLOCKING;
        root = rootRank;
        inPlace = false;
        send = Memory.NONE;
        recv = Memory.NONE;
        count = 0;
        recvCount = 0;
        type = Datatype.BYTE;
        recvType = Datatype.BYTE;
        blocks = null;
        sendBlocks = null;
        op = null;
        fresh = true;
        return this;
    }

    /// The reduction operation of a call that has one.
    public final Op reduction() {
        Op o = op;
        if (o == null) throw new IllegalStateException(operation + ": reduction without an operation");
        return o;
    }

    /// The length of block `rank` of `recv` in bytes.
    public final long blockBytes(int rank) {
        return recvType.bytes() * (blocks == null ? recvCount : blocks.count(rank));
    }

    /// Where block `rank` of `recv` begins, in bytes.
    public final long blockOffset(int rank) {
        return recvType.bytes() * (blocks == null ? recvCount * rank : blocks.displacement(rank));
    }

    /// The length of block `rank` of `send` in bytes.
    public final long sendBlockBytes(int rank) {
        return type.bytes() * (sendBlocks == null ? count : sendBlocks.count(rank));
    }

    /// Where block `rank` of `send` begins, in bytes.
    public final long sendBlockOffset(int rank) {
        return type.bytes() * (sendBlocks == null ? count * rank : sendBlocks.displacement(rank));
    }
}
