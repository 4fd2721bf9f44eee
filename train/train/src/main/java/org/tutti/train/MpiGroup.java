package org.tutti.train;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.SplitType;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.number.ShortFloats;
import org.tutti.train.spi.GroupProtocol;

/// A group over separate communicators, so that the messages cannot match messages of the program.
///
/// Before each operation except [#startAllreduce], the ranks compare on the second communicator which operation
/// each rank is about to start. Otherwise a rank with one step fewer would block the other ranks forever, or
/// the rank's data would be mistaken for the data of a different operation.
final class MpiGroup implements MpiProcessGroup, GroupProtocol {
    /// An operation that a rank is about to start.
    private enum GroupOperation {
        BARRIER("barrier()"),
        BROADCAST("broadcast(%d bytes)"),
        ALLREDUCE("allreduce(%d bytes)"),
        WORDS("allgather(String)"),
        NUMBERS("allgather(%d numbers)"),
        GATHER("allgather(%d bytes)"),
        SCATTER("reduceScatter(%d bytes)"),
        SYNC("Step.sync()"),
        CLOSE("close()");

        private final String words;

        GroupOperation(String words) {
            this.words = words;
        }
    }

    private static final long ROOT_CAUSE_MILLIS = 1000;

    private final Mpi mpi;
    private final OwnedComm comm;
    private final OwnedComm control;

    /// The operation that this rank is about to start, and its size; then the operations and sizes of all
    /// ranks.
    private final long[] mine = new long[2];

    private final long[] all;

    private boolean isFailing;
    private boolean isClosed;
    private final boolean ownsMpi;
    private final int localRank;
    private final int localSize;
    private final List<Runnable> beforeClose = new ArrayList<>();

    /// Moves gradients out of this group's memory ([GroupMemory#end]) if the `Mpi` is closed before the group.
    private final AttributeKey<MpiGroup> ofMpi =
            AttributeKey.of("ProcessGroup", (comm, group) -> null, (comm, group) -> GroupMemory.end(group));

    MpiGroup(Mpi mpi, Comm parent, boolean ownsMpi) {
        this.mpi = mpi;
        this.ownsMpi = ownsMpi;
        comm = parent.dup();
        control = parent.dup();
        all = new long[2 * comm.size()];
        mpi.self().setAttribute(ofMpi, this);
        try (OwnedComm machine = comm.splitType(SplitType.SHARED)) {
            localRank = machine.rank();
            localSize = machine.size();
        }
    }

    @Override
    public int rank() {
        return comm.rank();
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public int localRank() {
        return localRank;
    }

    @Override
    public int localSize() {
        return localSize;
    }

    @Override
    public Comm comm() {
        return comm;
    }

    @Override
    public void beforeClose(Runnable action) {
        beforeClose.add(action);
    }

    @Override
    public String backend() {
        return mpi.engineName().equals("shm") ? "shm" : "mpi";
    }

    private void call(GroupOperation operation, long size) {
        mine[0] = operation.ordinal();
        mine[1] = size;
        control.allgather(buf(mine), buf(all));
        for (int i = 2; i < all.length; i++) if (all[i] != all[i - 2]) throw mismatch();
    }

    private TrainingException mismatch() {
        isFailing = true;
        awaitRootCause();
        StringBuilder text = new StringBuilder("the ranks do not do the same: ");
        for (int r = 0; r < comm.size(); r++) {
            text.append(r == 0 ? "" : ", ")
                    .append("rank ")
                    .append(r)
                    .append(" calls ")
                    .append(String.format(GroupOperation.values()[(int) all[2 * r]].words, all[2 * r + 1]));
        }
        return new TrainingException(
                text + "; all ranks must make the same number of steps, and the same calls in the same order");
    }

    /// Waits if a rank closes the group while this rank calls a different operation. A rank that closes early
    /// has usually failed. The message of that rank is the root cause, and must be printed before the failures
    /// of the other ranks.
    private void awaitRootCause() {
        if (mine[0] == GroupOperation.CLOSE.ordinal()) return;
        boolean closes = false;
        for (int r = 0; r < comm.size(); r++) closes |= all[2 * r] == GroupOperation.CLOSE.ordinal();
        if (!closes) return;
        try {
            Thread.sleep(ROOT_CAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void setFailing(boolean failing) {
        isFailing = failing;
    }

    @Override
    public void barrier() {
        call(GroupOperation.BARRIER, 0);
        comm.barrier();
    }

    @Override
    public void broadcast(TensorStorage data, int root) {
        call(GroupOperation.BROADCAST, data.sizeBytes());
        comm.bcast(buf(data.memory("ProcessGroup.broadcast over " + backend())), root);
    }

    @Override
    public void allreduce(MemorySegment data, DType type) {
        call(GroupOperation.ALLREDUCE, data.byteSize());
        comm.allreduce(buf(data, datatype(type)), sum(type));
    }

    @Override
    public PendingAllreduce startAllreduce(TensorStorage data, DType type, ProgressMode mode) {
        MemorySegment memory = data.memory("ProcessGroup.startAllreduce over " + backend());
        Request request = comm.iallreduce(Buf.IN_PLACE, buf(memory, datatype(type)), sum(type));
        if (mode == ProgressMode.CALLS) return request::await;
        var stage = request.toStage().toCompletableFuture();
        return stage::join;
    }

    private static Datatype datatype(DType type) {
        return switch (type) {
            case F64 -> Datatype.DOUBLE;
            case F32 -> Datatype.FLOAT;
            case I64 -> Datatype.LONG;
            case I32 -> Datatype.INT;
            case F16, BF16 -> Datatype.SHORT;
            case F8_E4M3, F8_E5M2, I16, I8, U64, U32, U16, U8, BOOL ->
                throw new IllegalArgumentException("no sums of " + type);
        };
    }

    private static Op sum(DType type) {
        return type == DType.F16 ? ShortFloats.SUM_F16 : type == DType.BF16 ? ShortFloats.SUM_BF16 : Op.SUM;
    }

    @Override
    public void allgather(MemorySegment mine, MemorySegment all) {
        call(GroupOperation.GATHER, mine.byteSize());
        checkParts(mine, all);
        comm.allgather(buf(mine), buf(all));
    }

    @Override
    public void reduceScatter(MemorySegment all, MemorySegment mine, DType type) {
        call(GroupOperation.SCATTER, all.byteSize());
        checkParts(mine, all);
        comm.reduceScatterBlock(buf(all, datatype(type)), buf(mine, datatype(type)), sum(type));
    }

    private void checkParts(MemorySegment part, MemorySegment all) {
        if (part.byteSize() * size() == all.byteSize()) return;
        throw new IllegalArgumentException("a part of " + part.byteSize() + " bytes, of which " + size()
                + " are not the " + all.byteSize() + " bytes of all");
    }

    @Override
    public List<String> allgather(String mine) {
        call(GroupOperation.WORDS, 0);
        return comm.allgatherObject(mine);
    }

    @Override
    public long[] allgather(long... mine) {
        call(GroupOperation.NUMBERS, mine.length);
        return gathered(mine);
    }

    @Override
    public long[] endOfStep(long... mine) {
        call(GroupOperation.SYNC, 0);
        return gathered(mine);
    }

    private long[] gathered(long... mine) {
        long[] all = new long[mine.length * comm.size()];
        comm.allgather(buf(mine), buf(all));
        return all;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return mpi.alloc(bytes);
    }

    @Override
    public void free(MemorySegment memory) {
        if (!isClosed) mpi.free(memory); // it is freed with the Mpi
    }

    /// Waits for the other ranks, which may still be waiting for this rank. Does not wait if this rank has
    /// failed.
    @Override
    public void close() {
        try {
            if (!isFailing) {
                call(GroupOperation.CLOSE, 0);
                beforeClose.forEach(Runnable::run);
            }
        } catch (RuntimeException e) {
            try {
                free();
            } catch (RuntimeException unclean) { // caused by the same mistake
                e.addSuppressed(unclean);
            }
            throw e;
        }
        free();
    }

    private void free() {
        mpi.self().deleteAttribute(ofMpi);
        isClosed = true;
        control.close();
        comm.close();
        if (ownsMpi) mpi.close();
    }
}
