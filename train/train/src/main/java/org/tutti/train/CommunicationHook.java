package org.tutti.train;

import java.lang.foreign.MemorySegment;
import org.tutti.train.ProcessGroup.PendingAllreduce;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// Computes the sum of a bucket of gradients over all ranks in a different way than a plain all-reduce, for
/// example with fewer bytes. All ranks have the same hook.
///
/// The last number of a bucket is not a gradient: it counts the ranks with non-finite numbers, so a hook must
/// keep small integers there exact.
///
/// @see <a href="https://docs.pytorch.org/docs/stable/ddp_comm_hooks.html">PyTorch's communication hooks</a>
@FunctionalInterface
public interface CommunicationHook {
    /// The plain all-reduce, [ProcessGroup#startAllreduce].
    CommunicationHook ALLREDUCE = BucketSum::startAllreduce;

    /// A bucket to be summed by a hook, with access to everything that a hook needs for the sum.
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

        /// Returns the gradients and, as the last number, the count of ranks with non-finite numbers.
        public TensorStorage bucket() {
            return bucket;
        }

        public DType dtype() {
            return dtype;
        }

        /// Returns memory for this bucket only, of the size that [CommunicationHook#scratchBytes] has returned.
        public MemorySegment scratch() {
            return scratch;
        }

        public ProcessGroup group() {
            return group;
        }

        /// Returns the mode for messages that the hook starts, from [DistributedDataParallel.Options].
        public ProgressMode progressMode() {
            return progressMode;
        }
    }

    /// Starts the sum of a bucket. Called on all ranks for the same buckets in the same order; several sums are
    /// in progress at a time. May run on the thread that runs backward, so it must not wait for the messages
    /// that it starts.
    ///
    /// @return the pending operation; when it completes, the bucket contains the sums
    PendingAllreduce start(BucketSum sum);

    /// Returns the number of bytes that the hook needs in addition to a bucket of `bucketBytes` bytes.
    default long scratchBytes(long bucketBytes, DType dtype) {
        return 0;
    }
}
