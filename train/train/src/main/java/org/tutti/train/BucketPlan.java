package org.tutti.train;

import java.util.ArrayList;
import java.util.List;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorSpec;

/// Divides parameters into buckets, from the last parameter to the first. Backward completes the gradients in
/// this order, so buckets become full early. The first bucket is small, so that communication starts early. All
/// parameters of a bucket have the same element type. A parameter larger than the maximum size has a bucket by
/// itself.
final class BucketPlan {
    private BucketPlan() {}

    /// Returns, for each bucket, the indices of its parameters.
    ///
    /// @param first the maximum size of the first bucket, in bytes
    /// @param following the maximum size of the other buckets, in bytes
    static List<List<Integer>> of(List<TensorSpec> parameters, long first, long following) {
        List<List<Integer>> plan = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        long bytes = 0;
        DType type = null;
        for (int i = parameters.size() - 1; i >= 0; i--) {
            TensorSpec p = parameters.get(i);
            long most = plan.isEmpty() ? first : following;
            if (!open.isEmpty() && (p.dtype() != type || bytes + p.sizeBytes() > most)) {
                plan.add(open);
                open = new ArrayList<>();
                bytes = 0;
            }
            open.add(i);
            bytes += p.sizeBytes();
            type = p.dtype();
        }
        if (!open.isEmpty()) plan.add(open);
        return plan;
    }
}
