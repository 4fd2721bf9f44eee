package org.tutti.e2e.contract;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.tutti.conformance.ContractCase;
import org.tutti.conformance.ContractRun;
import org.tutti.conformance.Contracts;
import org.tutti.e2e.job.Tier;

/// Runs the contracts on each engine, with ranks as threads and as processes: one job for each number of ranks,
/// and one test for each contract. Only `-Pfull` uses all numbers of ranks, and runs slow contracts with
/// several processes.
///
/// `-Dtutti.contract.seed=S` selects different random numbers. `-Pfull` adds contracts that need gigabytes.
class ContractTest {
    private static final List<Integer> RANKS = List.of(1, 2, 3, 4, 5, 8);
    private static final long SEED = Long.getLong("tutti.contract.seed", ContractRun.DEFAULT_SEED);

    @TestFactory
    @Tag("ci")
    Stream<DynamicNode> shmThreads() {
        return jobs(ContractWay.SHM_THREADS);
    }

    @TestFactory
    Stream<DynamicNode> shmProcesses() {
        return jobs(ContractWay.SHM_PROCESSES);
    }

    @TestFactory
    @Tag("ci")
    Stream<DynamicNode> openMpi() {
        return jobs(ContractWay.OPEN_MPI);
    }

    @TestFactory
    @Tag("ci")
    Stream<DynamicNode> mpich() {
        return jobs(ContractWay.MPICH);
    }

    /// Sends a message of more than 2 GiB. The machine needs memory for two copies.
    @TestFactory
    @Tag("full")
    Stream<DynamicNode> large() {
        String which = "moreThanTwoGibibytes";
        ContractJob job = new ProcessJob(ContractWay.SHM_PROCESSES, 2, List.of("--large", which));
        return Contracts.of("shm", 2, true).stream()
                .filter(c -> c.terms().large() && c.name().contains(which))
                .map(c -> dynamicTest(c.name(), () -> job.expect(c.name())));
    }

    private static Stream<DynamicNode> jobs(ContractWay way) {
        String missing = way.missing();
        if (missing != null) return Stream.of(skipped(way, missing));
        return ranks(way).stream().map(n -> {
            boolean quick = !Tier.FULL && way.inProcesses() && n > 1;
            List<String> options = new ArrayList<>(List.of("--seed", "" + SEED));
            if (quick) options.add("--quick");
            ContractJob job = way.inProcesses() ? new ProcessJob(way, n, options) : new ThreadJob(n, SEED);
            List<DynamicNode> tests = new ArrayList<>();
            for (ContractCase c : Contracts.of(way.engine, n, false)) {
                if (!quick || !c.terms().slow()) tests.add(dynamicTest(c.name(), () -> job.expect(c.name())));
            }
            return dynamicContainer(n + (n == 1 ? " rank" : " ranks"), tests);
        });
    }

    private static List<Integer> ranks(ContractWay way) {
        if (Tier.FULL) return RANKS;
        return switch (way) {
            case SHM_THREADS -> Tier.CI ? List.of(2, 3) : List.of(3); // several code paths exist only for two ranks
            case SHM_PROCESSES -> List.of(3);
            case OPEN_MPI -> List.of(2);
            case MPICH -> List.of(1); // with more busy ranks than cores, a run takes a minute
        };
    }

    /// Fails in CI, where all libraries must be installed; on other machines, reports that these jobs are
    /// skipped.
    private static DynamicNode skipped(ContractWay way, @Nullable String why) {
        return dynamicTest(way + " is not tried", () -> {
            if ("true".equals(System.getenv("CI"))) fail(why + ", and CI=true does not allow a skip");
            abort("skipped, because " + why);
        });
    }
}
