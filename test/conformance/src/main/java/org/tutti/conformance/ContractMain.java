package org.tutti.conformance;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Tutti;

/// Runs the contracts: `ContractMain [--threads N] [--seed S] [--large] [--quick] [NAME-PART …]`. The ranks are
/// processes started by a launcher, or N threads of this process.
///
/// Rank 0 prints a line when a contract begins and a line when all ranks have passed it. If a contract fails,
/// the rank ends with the exception. `ContractTest` reads this output:
///
///     contract begins Barrier.waitsForTheLast
///     contract passed Barrier.waitsForTheLast 12345678
///     contracts done 96
public final class ContractMain {
    public static final String BEGINS = "contract begins ", PASSED = "contract passed ", DONE = "contracts done ";

    private final long seed;
    private final boolean large;
    private final boolean quick;
    private final List<String> parts;

    private ContractMain(long seed, boolean large, boolean quick, List<String> parts) {
        this.seed = seed;
        this.large = large;
        this.quick = quick;
        this.parts = parts;
    }

    public static void main(String[] args) {
        long seed = ContractRun.DEFAULT_SEED;
        boolean large = false, quick = false;
        int threads = 0;
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--seed" -> seed = Long.parseLong(args[++i]);
                case "--threads" -> threads = Integer.parseInt(args[++i]);
                case "--large" -> large = true;
                case "--quick" -> quick = true;
                default -> parts.add(args[i]);
            }
        }
        ContractMain contract = new ContractMain(seed, large, quick, parts);
        if (threads > 0) {
            Tutti.local(threads, contract::run);
        } else {
            try (Mpi mpi = Mpi.init()) {
                contract.run(mpi);
            }
        }
    }

    private void run(Mpi mpi) {
        List<ContractCase> all = Contracts.of(mpi.engineName(), mpi.world().size(), large).stream()
                .filter(c -> !quick || !c.terms().slow())
                .filter(c -> parts.isEmpty() || parts.stream().anyMatch(c.name()::contains))
                .toList();
        new ContractRun(mpi, seed, new Lines()).run(all);
        if (mpi.world().rank() == 0) line(DONE + all.size());
    }

    private static void line(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private static final class Lines implements ContractRun.Listener {
        @Override
        public void begins(ContractCase contract) {
            line(BEGINS + contract.name());
        }

        @Override
        public void passed(ContractCase contract, long nanos) {
            line(PASSED + contract.name() + " " + nanos);
        }
    }
}
