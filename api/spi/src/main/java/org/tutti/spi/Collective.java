package org.tutti.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// One collective call: kind, form, root, operation, neighbors, and two operands. [Engine#collective] returns a
/// blank call.
///
/// | kind | `send` | `recv` |
/// |---|---|---|
/// | barrier | | |
/// | bcast | count and type, on every rank | the buffer, on every rank |
/// | reduce | the operand | the result, at the root |
/// | allreduce, scan, exscan | the operand | the result |
/// | gather | this rank's block | all blocks, at the root |
/// | allgather | this rank's block | all blocks |
/// | scatter | all blocks, at the root | this rank's block |
/// | alltoall | a block for each rank | a block from each rank |
/// | reduce_scatter | the operand | this rank's block of the result; the count or `blocks` describe all blocks |
/// | alltoallw | parts: a block for each rank | parts: a block from each rank |
/// | neighbor allgather | this rank's block | a block from each source |
/// | neighbor alltoall | a block for each destination | a block from each source |
/// | neighbor alltoallw | parts | parts |
///
/// For a bcast and for reductions, count and type in `send` also describe the data in `recv`. If an operand
/// consists of blocks, the count is the number of elements in each block.
///
/// If `inPlace` is set, the operand or this rank's block is already in `recv`, and the memory of `send` is not
/// accessed. In a scatter, the root's block stays in `send`, and `recv` of the root is not accessed. In an
/// alltoall, either all ranks or none are in place; if they are, `send` has the count and the type of `recv`.
/// In a reduce-scatter, the blocks of `recv` are positions in the operand; the blocks are contiguous and have
/// `send.count` elements in total. In an alltoall that is not in place, either both operands have blocks or
/// neither does. Neighbor calls have `neighbors`, with blocks numbered like the neighbors, and are never in
/// place.
///
/// Between two groups ([#inter]) no call is in place and no scan is possible. *Each rank* in the table then
/// means each rank of the other group, and the result is computed from the other group's data. A reduce-scatter
/// has a block for each rank of the caller's group, which receives the other group's result.
public abstract non-sealed class Collective extends Activity {
    /// The collective operations. A new operation needs a constant here, and an algorithm in the engines.
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

        /// Returns the kind with this ordinal, which envelopes contain.
        public static Kind of(int ordinal) {
            return ALL[ordinal];
        }

        /// Returns whether one rank is the root.
        public boolean rooted() {
            return this == BCAST || this == REDUCE || this == GATHER || this == SCATTER;
        }

        /// Returns whether only neighbors in a topology exchange data.
        public boolean amongNeighbors() {
            return this == NEIGHBOR_ALLGATHER || this == NEIGHBOR_ALLTOALL || this == NEIGHBOR_ALLTOALLW;
        }

        /// Returns whether only the two ranks of a message must agree on the type, so that the type is checked
        /// for each message. Between two groups ([#inter]), this applies to more kinds, because the two
        /// directions are independent.
        public boolean typedByMessage(boolean inter) {
            return this == ALLTOALLW || amongNeighbors() || inter && (this == ALLGATHER || this == ALLTOALL);
        }
    }

    /// The form of the call. Calls of different forms do not match (MPI 4.1, sections 6.12 and 6.13).
    public enum Form {
        BLOCKING,
        NONBLOCKING,
        PERSISTENT
    }

    /// The blocks of a v form. Counts and displacements are in elements of the operand's type.
    public record BlockLayout(long[] counts, long[] displacements) {
        public long count(int rank) {
            return counts[rank];
        }

        public long displacement(int rank) {
            return displacements[rank];
        }
    }

    /// Blocks that each have a separate memory and a separate type: one block for each rank or neighbor.
    public record SeparateBlocks(Memory[] memories, ElementType[] types, long[] lengthsBytes) {
        /// The distance between the [#place]s of consecutive parts, as an exponent of two.
        private static final int PLACE_SHIFT = 40;

        /// Returns the position of part `i`, for algorithms that compute with positions as if all parts were in
        /// one long memory.
        public static long place(int i) {
            return (long) i << PLACE_SHIFT;
        }

        /// Returns the index of the part that contains a position.
        public static int part(long place) {
            return (int) (place >>> PLACE_SHIFT);
        }

        /// Returns the offset of a position within the part, in bytes.
        public static long within(long place) {
            return place & (1L << PLACE_SHIFT) - 1;
        }
    }

    /// One of the two operands: memory, count and type.
    public static final class Operand {
        public Memory memory = Memory.NONE;

        /// The memory that the previous call used.
        public Memory last = Memory.NONE;

        private static final long SMALLEST_ROOM_BYTES = 64;

        private MemorySegment room = MemorySegment.NULL;

        /// The number of elements of [#type], in total or in each block; unused if [#blocks] is set.
        public long count;

        public ElementType type = ElementType.BYTE;

        /// Blocks of different lengths or at given displacements.
        public @Nullable BlockLayout blocks;

        /// Separate blocks, which replace memory, count, type and blocks.
        public @Nullable SeparateBlocks parts;

        private final Collective call;

        private Operand(Collective call) {
            this.call = call;
        }

        /// Returns the call of which this is an operand.
        public Collective call() {
            return call;
        }

        private void clear() {
            last = memory;
            memory = Memory.NONE;
            count = 0;
            type = ElementType.BYTE;
            blocks = null;
            parts = null;
        }

        /// Returns memory into which the caller can copy the data: the memory of the last call, if that is
        /// large enough. Only the garbage collector frees this memory, so the copy remains valid while the call
        /// is active, even if the owner of the data has ended.
        public MemorySegment room(long bytes) {
            if (room.byteSize() < bytes) {
                room = Arena.ofAuto().allocate(Math.max(SMALLEST_ROOM_BYTES, Long.highestOneBit(bytes - 1) * 2), 64);
            }
            return room.asSlice(0, bytes);
        }

        /// Returns whether the calling thread cannot access all of the memory, or whether the arena of the
        /// memory is closed.
        boolean isInaccessible() {
            boolean is = isInaccessible(memory);
            SeparateBlocks several = parts;
            for (int i = 0; several != null && i < several.memories.length && !is; i++) {
                is = isInaccessible(several.memories[i]);
            }
            return is;
        }

        private static boolean isInaccessible(Memory memory) {
            MemorySegment s = memory.segment();
            return !s.scope().isAlive() || !s.isAccessibleBy(Thread.currentThread());
        }

        /// Lets the garbage collector free the memory of [#room] if the memory has more than `mostBytes` bytes.
        public void keepRoom(long mostBytes) {
            if (room.byteSize() > mostBytes) room = MemorySegment.NULL;
        }

        /// Returns the number of elements of a rank's block.
        public long count(int rank) {
            return blocks == null ? count : blocks.count(rank);
        }

        /// Returns the displacement of a rank's block, in elements.
        public long displacement(int rank) {
            return blocks == null ? count * rank : blocks.displacement(rank);
        }

        /// Returns the length of a rank's block, in bytes.
        public long blockBytes(int rank) {
            if (parts != null) return parts.lengthsBytes[rank];
            return type.size() * count(rank);
        }

        /// Returns the offset of a rank's block, in bytes; for [#parts], the [SeparateBlocks#place].
        public long blockOffset(int rank) {
            if (parts != null) return SeparateBlocks.place(rank);
            return type.size() * displacement(rank);
        }

        /// Returns the total length of `ranks` blocks without gaps.
        public long bytes(int ranks) {
            if (blocks == null && parts == null) return ranks == 0 ? 0 : ranks * blockBytes(0);
            long sum = 0;
            for (int r = 0; r < ranks; r++) sum += blockBytes(r);
            return sum;
        }
    }

    /// The ranks to which this rank sends and from which it receives, in the order of the blocks;
    /// [Transfer#PROC_NULL] means no neighbor. If two ranks are neighbors several times, messages match in send
    /// order. This order is `sendOrder`, which contains indices into `destinations`. Receives are in the order
    /// of `sources`.
    public record Neighbors(int[] sources, int[] destinations, int[] sendOrder) {}

    public Kind kind = Kind.BARRIER;
    public Form form = Form.BLOCKING;

    /// The root, a rank of the port. Between two groups, `PROC_NULL` on ranks of the root's group that do not
    /// take part.
    public int root;

    /// Whether the call is between the two groups of an intercommunicator, rather than among all ranks of the
    /// port.
    public boolean inter;

    public boolean inPlace;

    /// The data that this rank contributes, or only the count and type of the data; see the table.
    public final Operand send = new Operand(this);

    /// The data that this rank receives; in a bcast, also the data that the root sends.
    public final Operand recv = new Operand(this);

    /// The neighbors of a neighborhood collective call.
    public @Nullable Neighbors neighbors;

    /// If all ranks pass the same elements and these elements consist of several types, the hash of these
    /// types; otherwise 0.
    public int signature;

    /// The reduction, if the call has one.
    public @Nullable Reduction op;

    /// The values of [CallSignature]. They are stored because they are read several times.
    private long a;

    private long b;
    private long c;
    private boolean isDescribed;

    /// The sequence number of the collective call on the communicator, equal on all ranks; valid once the call
    /// has started.
    public long sequence;

    protected Collective() {
        super(Family.COLLECTIVE);
    }

    /// Returns the sequence number of this call, which is active or the next call to start on the communicator.
    public final long number() {
        return isDone() ? port().calls() + 1 : sequence;
    }

    /// Starts filling in the fields. Fields that are not set afterwards have the value for "none".
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

    /// Computes the values of [CallSignature], unless already done. All fields must be filled in.
    public final void describe() {
        if (isDescribed) return;
        a = CallSignature.a(this);
        b = CallSignature.b(this);
        c = CallSignature.c(this, 0);
        isDescribed = true;
    }

    /// Returns value a of [CallSignature]; valid after [#describe].
    public final long wordA() {
        return a;
    }

    public final long wordB() {
        return b;
    }

    /// Returns value c without the sequence number.
    public final long wordC() {
        return c;
    }

    @Override
    public final void begin() {
        super.begin();
        sequence = port().countCall();
    }

    /// Makes this a call among all ranks of the port, even if the port is that of an intercommunicator.
    public final Collective withinAll() {
        inter = false;
        return this;
    }

    /// See [Kind#typedByMessage].
    public final boolean typedByMessage() {
        return kind.typedByMessage(inter);
    }

    /// Returns the reduction of a call that has one.
    public final Reduction reduction() {
        Reduction o = op;
        if (o == null) throw new IllegalStateException(operation + ": reduction without an operation");
        return o;
    }

    /// Returns the neighbors of a neighborhood collective call.
    public final Neighbors neighborhood() {
        Neighbors n = neighbors;
        if (n == null) throw new IllegalStateException(operation + ": neighborhood call without neighbors");
        return n;
    }
}
