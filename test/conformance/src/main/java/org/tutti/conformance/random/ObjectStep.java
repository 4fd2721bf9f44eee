package org.tutti.conformance.random;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Request;

/// Sends objects around a ring, or by one of the collective operations.
final class ObjectStep {
    private static final int TAG = 5000;
    private static final int KINDS = 7;

    private final Step step;
    private final Comm comm;
    private final int kind;
    private final int root;
    private final int length;

    ObjectStep(Step step) {
        this.step = step;
        comm = step.comm();
        kind = step.shared().nextInt(KINDS);
        root = step.shared().nextInt(step.size());
        length = step.shared().nextInt(4) == 0
                ? step.shared().nextInt(100_000)
                : step.shared().nextInt(50);
    }

    /// Returns the value of `rank`. Sizes differ between ranks.
    private Map<String, Object> value(int rank) {
        long[] numbers = new long[length * (rank + 1) / step.size()];
        for (int i = 0; i < numbers.length; i++) numbers[i] = step.seed() * 31 + rank * 1000L + i;
        List<Long> boxed = new ArrayList<>();
        for (int i = 0; i < Math.min(20, numbers.length); i++) boxed.add(numbers[i]);
        return Map.of("rank", rank, "list", boxed, "numbers", numbers, "name", "r".repeat(rank));
    }

    private void expect(@Nullable Object actual, int rank) {
        if (!(actual instanceof Map<?, ?> got))
            throw new AssertionError("an object of rank " + rank + " arrived as " + actual);
        Map<String, Object> want = value(rank);
        Check.same(want.get("rank"), got.get("rank"), "rank in the object");
        Check.same(want.get("list"), got.get("list"), "list in the object");
        Check.same(want.get("name"), got.get("name"), "name in the object");
        Check.that(
                Arrays.equals((long[]) want.get("numbers"), (long[]) got.get("numbers")),
                "numbers in the object of rank " + rank);
    }

    void run() {
        int me = step.me();
        int n = step.size();
        switch (kind) {
            case 0 -> ring();
            case 1 -> expect(comm.bcastObject(me == root ? value(root) : null, root), root);
            case 2 -> {
                List<Map<String, Object>> all = comm.gatherObject(value(me), root);
                if (me == root) expectAll(all);
                else Check.that(all == null, "gatherObject returns a list off the root");
            }
            case 3 -> expectAll(comm.allgatherObject(value(me)));
            case 4 -> {
                List<Map<String, Object>> parts = new ArrayList<>();
                for (int r = 0; r < n; r++) parts.add(value(r));
                expect(comm.scatterObject(me == root ? parts : null, root), me);
            }
            case 5 -> {
                List<Map<String, Object>> parts = new ArrayList<>();
                for (int r = 0; r < n; r++) parts.add(value((me + r) % n));
                List<Map<String, Object>> got = comm.alltoallObject(parts);
                for (int r = 0; r < n; r++) expect(got.get(r), (r + me) % n);
            }
            default -> {
                String expected = "";
                for (int r = 0; r < n; r++) expected += (char) ('a' + r % 26);
                // a non-commutative operation with results of different lengths
                Check.same(
                        expected,
                        comm.allreduceObject(String.valueOf((char) ('a' + me % 26)), String::concat),
                        "allreduceObject");
            }
        }
    }

    private void expectAll(@Nullable List<Map<String, Object>> all) {
        if (all == null) throw new AssertionError("no objects");
        Check.same(step.size(), all.size(), "objects");
        for (int r = 0; r < all.size(); r++) expect(all.get(r), r);
    }

    private void ring() {
        int me = step.me();
        int right = (me + 1) % step.size();
        int left = (me + step.size() - 1) % step.size();
        switch (step.own().nextInt(3)) {
            case 0 -> {
                Request send = comm.isendObject(value(me), right, TAG);
                expect(comm.recvObject(Map.class, left, TAG), left);
                send.await();
            }
            case 1 -> expect(comm.sendrecvObject(value(me), right, TAG, Map.class, left, TAG), left);
            default -> {
                var receive = comm.irecvObject(Map.class, left, TAG);
                Request send = comm.issendObject(value(me), right, TAG);
                expect(receive.awaitObject(), left);
                send.await();
            }
        }
    }
}
