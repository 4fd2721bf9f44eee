package org.tutti.train;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.SplitType;
import org.tutti.train.model.DType;

/// A group over a communicator of its own, so that its messages meet no others.
final class MpiGroup implements ProcessGroup {
    private final Mpi mpi;
    private final OwnedComm comm;
    private final boolean ownsMpi;
    private final int localRank;
    private final int localSize;

    MpiGroup(Mpi mpi, Comm parent, boolean ownsMpi) {
        this.mpi = mpi;
        this.ownsMpi = ownsMpi;
        comm = parent.dup();
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
    public String backend() {
        return mpi.engineName().equals("shm") ? "shm" : "mpi";
    }

    @Override
    public void barrier() {
        comm.barrier();
    }

    @Override
    public void broadcast(MemorySegment data, int root) {
        comm.bcast(buf(data), root);
    }

    @Override
    public void allreduce(MemorySegment data, DType type) {
        comm.allreduce(buf(data, datatype(type)), Op.SUM);
    }

    @Override
    public Pending startAllreduce(MemorySegment data, DType type, boolean busily) {
        Request request = comm.iallreduce(buf(data, datatype(type)), Op.SUM);
        if (!busily) return request::await;
        var stage = request.toStage().toCompletableFuture();
        return stage::join;
    }

    private static Datatype datatype(DType type) {
        return switch (type) {
            case F64 -> Datatype.DOUBLE;
            case F32 -> Datatype.FLOAT;
            case I64 -> Datatype.LONG;
            case I32 -> Datatype.INT;
            case F16, BF16, I16, I8, U8, BOOL -> throw new IllegalArgumentException("no sums of " + type);
        };
    }

    @Override
    public List<String> allgather(String mine) {
        return comm.allgatherObject(mine);
    }

    @Override
    public long[] allgather(long... mine) {
        long[] all = new long[mine.length * comm.size()];
        comm.allgather(buf(mine), buf(all));
        return all;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return mpi.alloc(bytes);
    }

    @Override
    public void close() {
        comm.close();
        if (ownsMpi) mpi.close();
    }
}
