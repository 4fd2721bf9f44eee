package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CollectiveFunctions.*;
import static org.tutti.libmpi.raw.CommunicatorFunctions.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.EnvironmentFunctions.*;
import static org.tutti.libmpi.raw.ExchangeFunctions.*;
import static org.tutti.libmpi.raw.PointToPointFunctions.*;
import static org.tutti.libmpi.raw.ReductionFunctions.*;
import static org.tutti.libmpi.raw.ScanFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.Library;

/// The foreign part of a mixed job, like a C program or mpi4py: makes exactly the library calls that the script
/// names, without the engine.
final class MixedForeign implements MixedScript.Ranks {
    private static final Arena ARENA = Arena.global();
    private static final MemorySegment OUT = ARENA.allocate(8, 8);

    private final long comm;

    private MixedForeign(long comm) {
        this.comm = comm;
    }

    public static void main(String[] args) {
        Library.load(RankEnvironment.current(), RankEnvironment.openMpiLibraryDirectory());
        check(MPI_Init_thread(MemorySegment.NULL, MemorySegment.NULL, MPI_THREAD_MULTIPLE, OUT));
        MixedScript.Ranks world = new MixedForeign(MPI_COMM_WORLD);
        MixedScript.run(world);
        world.split(2, 0).free(); // the Java ranks pass color 1
        world.collective("allreduce", false, new int[1], new int[1], 0);
        System.out.println("foreign rank " + world.rank() + " ok");
        System.out.flush();
        check(MPI_Finalize());
    }

    private static void check(int rc) {
        if (rc != 0) throw new AssertionError("code " + rc);
    }

    @Override
    public int rank() {
        check(MPI_Comm_rank(comm, OUT));
        return OUT.get(JAVA_INT, 0);
    }

    @Override
    public int size() {
        check(MPI_Comm_size(comm, OUT));
        return OUT.get(JAVA_INT, 0);
    }

    @Override
    public void collective(String name, boolean nonblocking, int[] send, int[] recv, int root) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocateFrom(JAVA_INT, send), in = arena.allocateFrom(JAVA_INT, recv);
            MemorySegment r = arena.allocate(8, 8);
            int n = size(), s = send.length, each = recv.length;
            long t = MPI_INT32_T, sum = operation("SUM");
            check(
                    switch (nonblocking ? "i" + name : name) {
                        case "barrier" -> MPI_Barrier(comm);
                        case "ibarrier" -> MPI_Ibarrier(comm, r);
                        case "bcast" -> MPI_Bcast(in, each, t, root, comm);
                        case "ibcast" -> MPI_Ibcast(in, each, t, root, comm, r);
                        case "gather" -> MPI_Gather(out, s, t, in, s, t, root, comm);
                        case "igather" -> MPI_Igather(out, s, t, in, s, t, root, comm, r);
                        case "scatter" -> MPI_Scatter(out, each, t, in, each, t, root, comm);
                        case "iscatter" -> MPI_Iscatter(out, each, t, in, each, t, root, comm, r);
                        case "allgather" -> MPI_Allgather(out, s, t, in, s, t, comm);
                        case "iallgather" -> MPI_Iallgather(out, s, t, in, s, t, comm, r);
                        case "alltoall" -> MPI_Alltoall(out, s / n, t, in, s / n, t, comm);
                        case "ialltoall" -> MPI_Ialltoall(out, s / n, t, in, s / n, t, comm, r);
                        case "reduce" -> MPI_Reduce(out, in, s, t, sum, root, comm);
                        case "ireduce" -> MPI_Ireduce(out, in, s, t, sum, root, comm, r);
                        case "allreduce" -> MPI_Allreduce(out, in, s, t, sum, comm);
                        case "iallreduce" -> MPI_Iallreduce(out, in, s, t, sum, comm, r);
                        case "reduceScatterBlock" -> MPI_Reduce_scatter_block(out, in, each, t, sum, comm);
                        case "ireduceScatterBlock" -> MPI_Ireduce_scatter_block(out, in, each, t, sum, comm, r);
                        case "scan" -> MPI_Scan(out, in, s, t, sum, comm);
                        case "iscan" -> MPI_Iscan(out, in, s, t, sum, comm, r);
                        case "exscan" -> MPI_Exscan(out, in, s, t, sum, comm);
                        case "iexscan" -> MPI_Iexscan(out, in, s, t, sum, comm, r);
                        default -> throw new IllegalArgumentException(name);
                    });
            if (nonblocking) await(r);
            MemorySegment.copy(in, JAVA_INT, 0, recv, 0, each);
        }
    }

    private static void await(MemorySegment request) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flag = arena.allocate(JAVA_INT), status = arena.allocate(32, 8);
            do check(MPI_Test(request, flag, status));
            while (flag.get(JAVA_INT, 0) == 0);
        }
    }

    @Override
    public void sendAndReceive(int[] send, int dest, int[] recv, int source, int tag) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocateFrom(JAVA_INT, send), in = arena.allocateFrom(JAVA_INT, recv);
            MemorySegment request = arena.allocate(8, 8);
            check(MPI_Irecv(in, recv.length, MPI_INT32_T, source, tag, comm, request));
            check(MPI_Send(out, send.length, MPI_INT32_T, dest, tag, comm));
            await(request);
            MemorySegment.copy(in, JAVA_INT, 0, recv, 0, recv.length);
        }
    }

    @Override
    public MixedScript.Ranks split(int color, int key) {
        check(MPI_Comm_split(comm, color, key, OUT));
        return new MixedForeign(ABI.readHandle(OUT));
    }

    @Override
    public MixedScript.Ranks dup() {
        check(MPI_Comm_dup(comm, OUT));
        return new MixedForeign(ABI.readHandle(OUT));
    }

    @Override
    public MixedScript.Ranks splitShared() {
        check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, OUT));
        return new MixedForeign(ABI.readHandle(OUT));
    }

    @Override
    public void free() {
        ABI.writeHandle(OUT, comm);
        check(MPI_Comm_free(OUT));
    }
}
