package org.tutti.e2e.contract;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import org.tutti.conformance.ContractCase;
import org.tutti.conformance.ContractRun;
import org.tutti.conformance.Contracts;
import org.tutti.e2e.job.HangLimit;
import org.tutti.mpi.Tutti;

/// Ranks are threads of this JVM.
final class ThreadJob extends ContractJob {
    private final int ranks;
    private final long seed;
    private final Predicate<ContractCase> wanted;

    ThreadJob(int ranks, long seed) {
        this(ranks, seed, fact -> true);
    }

    /// Creates a job that runs only the contracts that match `wanted`.
    ThreadJob(int ranks, long seed, Predicate<ContractCase> wanted) {
        this.ranks = ranks;
        this.seed = seed;
        this.wanted = wanted;
    }

    @Override
    void runAll() throws Throwable {
        FutureTask<Void> job = new FutureTask<>(this::local, null);
        Thread thread = Thread.ofPlatform().daemon().name("local-job").start(job);
        HangLimit limit = new HangLimit(LIMIT_SECONDS);
        while (!thread.join(Duration.ofSeconds(1))) {
            if (!limit.isOver()) continue;
            String stacks = stacks();
            thread.interrupt(); // Tutti.local then ends the ranks
            throw new AssertionError(running() + " did not end within " + limit + " on " + ranks + " threads" + stacks);
        }
        try {
            job.get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    private void local() {
        Tutti.local(ranks, mpi -> {
            List<ContractCase> facts = Contracts.of(mpi.engineName(), ranks, false);
            new ContractRun(mpi, seed, new Heard())
                    .run(facts.stream().filter(wanted).toList());
        });
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> e :
                Thread.getAllStackTraces().entrySet()) {
            if (!e.getKey().getName().startsWith("rank-")) continue;
            text.append("\n").append(e.getKey().getName());
            for (StackTraceElement line : e.getValue()) text.append("\n    at ").append(line);
        }
        return text.toString();
    }

    private final class Heard implements ContractRun.Listener {
        @Override
        public void begins(ContractCase contract) {
            hasStarted(contract.name());
        }

        @Override
        public void passed(ContractCase contract, long nanos) {
            Times.add("shm threads", ranks, contract.name(), nanos);
            hasPassed(contract.name());
        }
    }
}
