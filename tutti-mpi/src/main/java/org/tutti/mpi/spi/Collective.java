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
/// | allreduce | operand | result | elements | |
/// | gather | this rank's block | all blocks, at the root | elements of this rank's block | elements of each block |
/// | allgather | this rank's block | all blocks | elements of this rank's block | elements of each block |
///
/// In place means `inPlace`: the operand, or this rank's block, already lies in `recv`, and `send` is not looked
/// at. With `blocks`, block r has `blocks.count(r)` elements and begins `blocks.displacement(r)` elements into
/// `recv`.
public abstract class Collective extends Activity {
    /// A new collective operation is one more of these and one algorithm.
    public enum Kind {
        BARRIER,
        BCAST,
        REDUCE,
        ALLREDUCE,
        GATHER,
        ALLGATHER;

        private static final Kind[] ALL = values();

        /// The kind with this ordinal, as it travels in envelopes.
        public static Kind of(int ordinal) {
            return ALL[ordinal];
        }

        /// Whether one rank is the root.
        public boolean rooted() {
            return this == BCAST || this == REDUCE || this == GATHER;
        }
    }

    /// The blocks of a v form, in elements of the receive type.
    public record Blocks(long[] counts, long[] displacements) {
        public long count(int rank) {
            return counts[rank];
        }

        public long displacement(int rank) {
            return displacements[rank];
        }
    }

    public Kind kind = Kind.BARRIER;
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

    public @Nullable Blocks blocks;

    /// Of reductions.
    public @Nullable Op op;

    /// For the engine: the how-manieth collective call on its communicator this is.
    public long sequence;

    /// Starts filling in; what is not set afterwards has the value that means "none".
    public final Collective fill(String operationName, CommPort port, Kind what, int rootRank) {
        operation = operationName;
        comm = port;
        kind = what;
        root = rootRank;
        inPlace = false;
        send = Memory.NONE;
        recv = Memory.NONE;
        count = 0;
        recvCount = 0;
        type = Datatype.BYTE;
        recvType = Datatype.BYTE;
        blocks = null;
        op = null;
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
}
