package org.tutti.train;

import java.util.ArrayList;
import java.util.List;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorSpec;

/// Divides parameters among buckets: from the last to the first, which is the order in which backward
/// finishes them, so that a bucket is full early. The first bucket is small, so that something is on its way
/// soon. A bucket has one element type, and at least one parameter however long that is.
final class BucketPlan {
    private BucketPlan() {}

    /// The numbers of the parameters of each bucket.
    ///
    /// @param first the most bytes of the first bucket
    /// @param others of the others
    static List<List<Integer>> of(List<TensorSpec> parameters, long first, long others) {
        List<List<Integer>> plan = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        long bytes = 0;
        DType type = null;
        for (int i = parameters.size() - 1; i >= 0; i--) {
            TensorSpec p = parameters.get(i);
            long most = plan.isEmpty() ? first : others;
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
