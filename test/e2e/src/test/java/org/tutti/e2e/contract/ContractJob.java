package org.tutti.e2e.contract;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A job that runs contracts and records the result of each contract.
abstract class ContractJob {
    /// Time limit in seconds. On an idle machine, every job takes less than a fifth of this time.
    static final int LIMIT_SECONDS = Integer.getInteger("tutti.contract.limit", 120);

    private final Map<String, CountDownLatch> passed = new ConcurrentHashMap<>();
    private volatile @Nullable String running;
    private volatile @Nullable Throwable failure;
    private boolean started;

    /// Waits until all ranks have passed the contract. If the job fails in this contract, throws the failure;
    /// if it fails in a different contract, aborts this test, so that only one test reports the failure.
    final void expect(String contract) throws Throwable {
        start();
        CountDownLatch latch = latch(contract);
        while (latch.getCount() != 0) {
            Throwable why = failure;
            if (why == null) {
                latch.await(20, TimeUnit.MILLISECONDS);
            } else if (latch.getCount() != 0) {
                String last = running;
                if (last == null || contract.equals(last)) throw why;
                abort("not run: the job ended in " + last);
            }
        }
    }

    private synchronized void start() {
        if (started) return;
        started = true;
        Thread.ofPlatform().daemon().name("contract-job").start(() -> {
            Throwable end = new AssertionError("not run: the job ended without it");
            try {
                runAll();
            } catch (Throwable t) {
                end = t;
            }
            failure = end;
        });
    }

    private CountDownLatch latch(String contract) {
        return passed.computeIfAbsent(contract, c -> new CountDownLatch(1));
    }

    final void hasStarted(String contract) {
        running = contract;
    }

    final void hasPassed(String contract) {
        latch(contract).countDown();
    }

    final @Nullable String running() {
        return running;
    }

    /// Runs the job to the end.
    abstract void runAll() throws Throwable;
}
