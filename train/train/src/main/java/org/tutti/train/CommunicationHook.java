package org.tutti.train;

import java.lang.foreign.MemorySegment;
import org.tutti.train.ProcessGroup.PendingAllreduce;
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
    /// [ProcessGroup#startAllreduce].
    CommunicationHook ALLREDUCE = BucketSum::startAllreduce;

    /// The bucket that a hook sums up, and the means for it.
    final class BucketSum {
        private final TensorStorage bucket;
        private final DType dtype;
        private final MemorySegment scratch;
        private final ProcessGroup group;
        private final ProgressMode progressMode;

        BucketSum(
                TensorStorage bucket,
                DType dtype,
                MemorySegment scratch,
                ProcessGroup group,
                ProgressMode progressMode) {
            this.bucket = bucket;
            this.dtype = dtype;
            this.scratch = scratch;
            this.group = group;
            this.progressMode = progressMode;
        }

        /// Starts a plain all-reduce of the bucket.
        public PendingAllreduce startAllreduce() {
            return group.startAllreduce(bucket, dtype, progressMode);
        }

        /// The gradients.
        public TensorStorage bucket() {
            return bucket;
        }

        public DType dtype() {
            return dtype;
        }

        /// Memory for this bucket only, of [CommunicationHook#scratchBytes].
        public MemorySegment scratch() {
            return scratch;
        }

        public ProcessGroup group() {
            return group;
        }

        /// The mode for messages that the hook starts, from [DistributedDataParallel.Options].
        public ProgressMode progressMode() {
            return progressMode;
        }
    }

    /// Begins to sum up one bucket. Called on all ranks for the same buckets in the same order, and several
    /// are under way at a time; on the thread that runs backward, so it starts messages and waits for none.
    ///
    /// @return whose end leaves the sums in the bucket
    PendingAllreduce start(BucketSum sum);

    /// How much memory it needs beside a bucket of so many bytes.
    default long scratchBytes(long bucketBytes, DType dtype) {
        return 0;
    }
}
