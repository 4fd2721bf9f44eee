package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;

/// MPI 4.1, section 6.3.
public final class BarrierContract {
    private BarrierContract() {}

    /// Compares times of all ranks of a machine: `nanoTime` reads the system's monotonic clock, which all
    /// processes share.
    @Contract
    public static void noRankLeavesBeforeTheLastEnters(Trial t) throws InterruptedException {
        int rounds = 3 * t.size();
        long[] entered = new long[rounds];
        long[] left = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            if (i % t.size() == t.rank()) Thread.sleep(2);
            entered[i] = System.nanoTime();
            t.world().barrier();
            left[i] = System.nanoTime();
        }
        long[] allEntered = new long[rounds * t.size()];
        long[] allLeft = new long[rounds * t.size()];
        t.world().allgather(buf(entered), buf(allEntered));
        t.world().allgather(buf(left), buf(allLeft));
        for (int i = 0; i < rounds; i++) {
            for (int out = 0; out < t.size(); out++) {
                for (int in = 0; in < t.size(); in++) {
                    long early = allEntered[in * rounds + i] - allLeft[out * rounds + i];
                    Check.that(
                            early <= 0,
                            "barrier " + i + ": rank " + out + " left " + early + " ns before rank " + in + " entered");
                }
            }
        }
    }

    @Contract(slow = true)
    public static void manyConsecutiveCalls(Trial t) {
        for (int i = 0; i < 300; i++) t.world().barrier();
    }

    /// A barrier completes while messages are pending, and does not match messages.
    @Contract(minRanks = 2)
    public static void doesNotAffectMessages(Trial t) {
        int[] in = {-1};
        try (var requests = t.mpi().requests()) {
            requests.add(t.world().isend(buf(new int[] {t.rank()}), t.right(), 0));
            for (int i = 0; i < 5; i++) t.world().barrier();
            t.world().recv(buf(in), t.left(), 0);
            requests.awaitAll();
        }
        Check.same(t.left(), in[0], "the message that waited");
    }
}
