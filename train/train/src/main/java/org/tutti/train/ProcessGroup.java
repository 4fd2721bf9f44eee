package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// The ranks that train together. Every call but [#rank] and its like is made by all of them, in the same
/// order, by one thread of each at a time.
public interface ProcessGroup extends AutoCloseable {
    /// An all-reduce in progress, while the program computes.
    interface PendingAllreduce {
        /// Waits for its end.
        void await();
    }

    /// The maximum time that [#init] waits for ranks that connect without MPI.
    Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

    /// The ranks that this process was started with: by `tutti run`, mpirun or srun over MPI; else, where
    /// torchrun's variables (`RANK`, `WORLD_SIZE`, `MASTER_ADDR`, `MASTER_PORT`) are set, over gloo, which
    /// the adapter to libtorch brings; else this process alone. To be closed.
    ///
    /// @throws TrainingException when a variable is missing or wrong, or a rank does not come in time
    static ProcessGroup init() {
        return Backends.form(null, DEFAULT_TIMEOUT);
    }

    /// As [#init(String, Duration)], with the default timeout.
    ///
    /// @throws TrainingException as [#init(String, Duration)]
    static ProcessGroup init(String backend) {
        return Backends.form(backend, DEFAULT_TIMEOUT);
    }

    /// As [#init()], over the backend of that name: `shm`, `mpi` or `gloo`; or `nccl` or `rccl`, which
    /// connect GPUs, one for each rank (of `tutti-train-device`, whose `DeviceGroup` has the device).
    /// PyTorch's `init_process_group(backend, timeout=…)`.
    ///
    /// @param timeout for all ranks to come, and for each message; MPI's launchers have their own
    /// @throws TrainingException also when the job runs over another, or a rank has no GPU for `nccl`
    static ProcessGroup init(String backend, Duration timeout) {
        return Backends.form(backend, timeout);
    }

    /// The ranks of a communicator, which must stay open as long.
    static ProcessGroup of(Mpi mpi, Comm comm) {
        return Backends.ready(new MpiGroup(mpi, comm, false), null);
    }

    int rank();

    int size();

    /// Among the ranks on this machine.
    int localRank();

    int localSize();

    /// What carries the messages: `shm`, `mpi` or `gloo`; those of devices `nccl` or `rccl`, where these
    /// do.
    String backend();

    void barrier();

    /// Everybody gets what lies in `data` on `root`.
    ///
    /// @throws IllegalStateException when it is on a device whose memory this group's messages do not reach
    void broadcast(TensorStorage data, int root);

    /// Everybody gets what lies in `data` on `root`.
    default void broadcast(MemorySegment data, int root) {
        broadcast(TensorStorage.of(data), root);
    }

    /// Everybody gets the sums of what lies in `data`; `F32`, `F64`, `I32` or `I64`, and `F16` or `BF16`,
    /// whose sums are rounded at each rank.
    void allreduce(MemorySegment data, DType dtype);

    /// As [#allreduce], and returns at once; the data is neither read nor written until the end.
    ///
    /// @throws IllegalStateException when it is on a device whose memory this group's messages do not reach
    PendingAllreduce startAllreduce(TensorStorage data, DType dtype, ProgressMode mode);

    /// As [#startAllreduce(TensorStorage, DType, ProgressMode)], of the CPU's memory.
    default PendingAllreduce startAllreduce(MemorySegment data, DType dtype, ProgressMode mode) {
        return startAllreduce(TensorStorage.of(data), dtype, mode);
    }

    /// The sums over all ranks of some numbers, a loss and a count for instance.
    default double[] sum(double... mine) {
        double[] all = mine.clone();
        allreduce(MemorySegment.ofArray(all), DType.F64);
        return all;
    }

    /// The sum over all ranks of one number.
    default long sum(long mine) {
        long[] all = {mine};
        allreduce(MemorySegment.ofArray(all), DType.I64);
        return all[0];
    }

    /// The means over all ranks of some numbers, each rank counting alike.
    default double[] mean(double... mine) {
        double[] all = sum(mine);
        for (int i = 0; i < all.length; i++) all[i] /= size();
        return all;
    }

    /// The largest of some numbers over all ranks; NaN where one rank has NaN.
    default double[] max(double... mine) {
        double[] all = mine.clone();
        double[] theirs = gathered(mine);
        for (int i = 0; i < theirs.length; i++) all[i % all.length] = Math.max(all[i % all.length], theirs[i]);
        return all;
    }

    /// The smallest of some numbers over all ranks; NaN where one rank has NaN.
    default double[] min(double... mine) {
        double[] all = mine.clone();
        double[] theirs = gathered(mine);
        for (int i = 0; i < theirs.length; i++) all[i % all.length] = Math.min(all[i % all.length], theirs[i]);
        return all;
    }

    private double[] gathered(double... mine) {
        long[] bits = new long[mine.length];
        for (int i = 0; i < bits.length; i++) bits[i] = Double.doubleToRawLongBits(mine[i]);
        return Arrays.stream(allgather(bits))
                .mapToDouble(Double::longBitsToDouble)
                .toArray();
    }

    /// Everybody gets what lies in `mine` on all ranks, one rank's after the other's, in `all`. As much on
    /// each.
    void allgather(MemorySegment mine, MemorySegment all);

    /// Sums `all` over all ranks, and gives each rank its part, of as many elements for each: rank `r` part
    /// number `r`.
    void reduceScatter(MemorySegment all, MemorySegment mine, DType dtype);

    /// What each rank says, by rank.
    List<String> allgather(String mine);

    /// As many numbers of each rank, one rank after the other.
    long[] allgather(long... mine);

    /// Zeroed memory for data that is to be reduced often, where that is fastest; there until [#free], or the
    /// end of the group.
    MemorySegment allocate(long bytes);

    /// Gives back what [#allocate] has returned; after the end of the group nothing.
    void free(MemorySegment memory);

    @Override
    void close();
}
