package org.tutti.train;

import java.lang.foreign.MemorySegment;
import org.tutti.train.ProcessGroup.Pending;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// How the ranks make a bucket of gradients the sum of all of theirs, where it is not a plain all-reduce:
/// in fewer bytes for instance. All ranks have the same hook.
///
/// The last number of a bucket is not a gradient: with it ranks count who has found what is no finite
/// number, so a hook leaves small whole numbers there as they are.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html">PyTorch's communication hooks</a>
@FunctionalInterface
public interface CommunicationHook {
    /// By [ProcessGroup#startAllreduce].
    CommunicationHook ALLREDUCE = s -> s.group.startAllreduce(s.bucket, s.type, s.busily);

    /// What is to be summed up.
    ///
    /// @param scratch memory for this bucket alone, of [#scratchBytes]
    /// @param busily whether a thread of its own is to move messages, by [DistributedDataParallel.Options]
    record Sum(TensorStorage bucket, DType type, MemorySegment scratch, ProcessGroup group, boolean busily) {}

    /// Begins to sum up one bucket. Called on all ranks for the same buckets in the same order, and several
    /// are under way at a time; on the thread that runs backward, so it starts messages and waits for none.
    ///
    /// @return whose end leaves the sums in the bucket
    Pending start(Sum sum);

    /// How much memory it needs beside a bucket of so many bytes.
    default long scratchBytes(long bucketBytes, DType type) {
        return 0;
    }
}
