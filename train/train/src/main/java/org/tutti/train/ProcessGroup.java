package org.tutti.train;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.train.model.DType;
import org.tutti.train.model.Tensor;
import org.tutti.train.model.TensorStorage;

/// The ranks that train together. Every call, except queries such as [#rank], is made by all ranks, in the same
/// order, by one thread per rank at a time.
public interface ProcessGroup extends AutoCloseable {
    /// An all-reduce in progress, while the program computes.
    interface PendingAllreduce {
        /// Waits for completion.
        void await();
    }

    /// The maximum time that [#init] waits for ranks that connect without MPI, and that these ranks later wait
    /// for each message.
    Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

    /// Returns the group of the ranks with which this process was started. Ranks that were started by
    /// `tutti run`, mpirun or srun connect over MPI. Otherwise, if torchrun's variables (`RANK`, `WORLD_SIZE`,
    /// `MASTER_ADDR`, `MASTER_PORT`) are set, the ranks connect over gloo, which is part of the adapter to
    /// libtorch. Without these variables, the group has only this process. Must be closed.
    ///
    /// @throws TrainingException if a variable is missing or wrong, or a rank does not connect in time
    static ProcessGroup init() {
        return Backends.form(null, DEFAULT_TIMEOUT);
    }

    /// As [#init(String, Duration)], with the default timeout.
    ///
    /// @throws TrainingException as [#init(String, Duration)]
    static ProcessGroup init(String backend) {
        return Backends.form(backend, DEFAULT_TIMEOUT);
    }

    /// As [#init()], over the backend of that name: `shm`, `mpi` or `gloo`; or `nccl` or `rccl`, which connect
    /// GPUs, one for each rank. The last two require `tutti-train-device`; the result is then a `DeviceGroup`,
    /// which has the device. PyTorch's `init_process_group(backend, timeout=…)`.
    ///
    /// @param timeout the maximum time until all ranks are connected, and for each message; MPI launchers have
    ///     separate timeouts
    /// @throws TrainingException also if the job uses a different backend, or a rank has no GPU for `nccl`
    static ProcessGroup init(String backend, Duration timeout) {
        return Backends.form(backend, timeout);
    }

    /// Returns the group of a communicator's ranks. The communicator must stay open.
    static ProcessGroup of(Mpi mpi, Comm comm) {
        return Backends.ready(new MpiGroup(mpi, comm, false), null);
    }

    int rank();

    int size();

    /// Returns the rank within this machine, from 0.
    int localRank();

    int localSize();

    /// Returns the transport: `shm`, `mpi` or `gloo`; if it connects devices, `nccl` or `rccl`.
    String backend();

    void barrier();

    /// Copies `data` of rank `root` to all ranks.
    ///
    /// @throws IllegalStateException if the data is in the memory of a device that this group cannot access
    void broadcast(TensorStorage data, int root);

    /// Copies `data` of rank `root` to all ranks.
    default void broadcast(MemorySegment data, int root) {
        broadcast(TensorStorage.of(data), root);
    }

    /// Replaces `data` by the sum over all ranks. The type is `F32`, `F64`, `I32`, `I64`, `F16` or `BF16`; for
    /// `F16` and `BF16`, the result of each addition is rounded.
    void allreduce(MemorySegment data, DType dtype);

    /// As [#allreduce], but returns immediately; the data must not be read or written until completion.
    ///
    /// @throws IllegalStateException if the data is in the memory of a device that this group cannot access
    PendingAllreduce startAllreduce(TensorStorage data, DType dtype, ProgressMode mode);

    /// As [#startAllreduce(TensorStorage, DType, ProgressMode)], for CPU memory.
    default PendingAllreduce startAllreduce(MemorySegment data, DType dtype, ProgressMode mode) {
        return startAllreduce(TensorStorage.of(data), dtype, mode);
    }

    /// Returns the sums over all ranks of some numbers, for example of a loss and a count.
    default double[] sum(double... mine) {
        double[] all = mine.clone();
        allreduce(MemorySegment.ofArray(all), DType.F64);
        return all;
    }

    /// Returns the sum of a number over all ranks.
    default long sum(long mine) {
        long[] all = {mine};
        allreduce(MemorySegment.ofArray(all), DType.I64);
        return all[0];
    }

    /// Returns the means over all ranks of some numbers; each rank has the same weight.
    default double[] mean(double... mine) {
        double[] all = sum(mine);
        for (int i = 0; i < all.length; i++) all[i] /= size();
        return all;
    }

    /// Returns the maximum of each number over all ranks; NaN if the number is NaN on any rank.
    default double[] max(double... mine) {
        double[] all = mine.clone();
        double[] theirs = gathered(mine);
        for (int i = 0; i < theirs.length; i++) all[i % all.length] = Math.max(all[i % all.length], theirs[i]);
        return all;
    }

    /// Returns the minimum of each number over all ranks; NaN if the number is NaN on any rank.
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

    /// Copies `mine` of all ranks to `all`, in the order of ranks. The sizes are the same on all ranks.
    void allgather(MemorySegment mine, MemorySegment all);

    /// Returns the values of all ranks, in the order of ranks; each rank may pass a different number of values,
    /// or none. Use this method for the predictions and labels of an evaluation whose metric is not a sum. It
    /// corresponds to Accelerate's `gather_for_metrics`, but the result needs no correction, because no sample
    /// is padded or repeated. The predictions of `DistributedSampler.of(samples, group).samples()` are in the
    /// order of the data set.
    ///
    /// @throws TrainingException on all ranks, if a rank passes an array of a different type, or the result is
    ///     too long for an array
    default float[] gatherForMetrics(float[] mine) {
        float[] all = new float[UnevenGather.count(this, DType.F32, mine.length)];
        UnevenGather.into(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), this);
        return all;
    }

    /// As [#gatherForMetrics(float\[\])].
    ///
    /// @throws TrainingException as [#gatherForMetrics(float\[\])]
    default double[] gatherForMetrics(double[] mine) {
        double[] all = new double[UnevenGather.count(this, DType.F64, mine.length)];
        UnevenGather.into(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), this);
        return all;
    }

    /// As [#gatherForMetrics(float\[\])].
    ///
    /// @throws TrainingException as [#gatherForMetrics(float\[\])]
    default int[] gatherForMetrics(int[] mine) {
        int[] all = new int[UnevenGather.count(this, DType.I32, mine.length)];
        UnevenGather.into(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), this);
        return all;
    }

    /// As [#gatherForMetrics(float\[\])].
    ///
    /// @throws TrainingException as [#gatherForMetrics(float\[\])]
    default long[] gatherForMetrics(long[] mine) {
        long[] all = new long[UnevenGather.count(this, DType.I64, mine.length)];
        UnevenGather.into(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), this);
        return all;
    }

    /// As [#gatherForMetrics(float\[\])], for the rows of a tensor: the first dimension is the number of samples,
    /// which may differ between ranks and be 0. A tensor without dimensions is one row.
    ///
    /// @return a tensor in new memory of the CPU, which the garbage collector frees
    /// @throws TrainingException on all ranks, if the rows of two ranks differ in type or shape
    default Tensor gatherForMetrics(Tensor mine) {
        return UnevenGather.rows(mine, this);
    }

    /// Sums `all` over all ranks, and copies part `r` of the sums to rank `r`. All parts have the same number
    /// of elements.
    void reduceScatter(MemorySegment all, MemorySegment mine, DType dtype);

    /// Returns the strings of all ranks, by rank.
    List<String> allgather(String mine);

    /// Returns the numbers of all ranks, in the order of ranks. Each rank passes the same number of values.
    long[] allgather(long... mine);

    /// Allocates zeroed memory for frequently reduced data, in the fastest location. It is valid until [#free]
    /// or the end of the group.
    MemorySegment allocate(long bytes);

    /// Frees the result of [#allocate]; no effect after the end of the group.
    void free(MemorySegment memory);

    @Override
    void close();
}
