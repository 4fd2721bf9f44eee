package org.tutti.conformance;

import java.util.List;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Mpi;

/// One rank's run through a list of contracts.
public final class ContractRun {
    /// A fixed seed makes a failure reproducible.
    public static final long DEFAULT_SEED = 20_251;

    private final Mpi mpi;
    private final long seed;
    private final Listener listener;

    /// Is notified of the progress of rank 0.
    public interface Listener {
        void begins(ContractCase contract);

        /// Called when all ranks have passed the contract.
        void passed(ContractCase contract, long nanos);
    }

    public ContractRun(Mpi mpi, long seed, Listener listener) {
        this.mpi = mpi;
        this.seed = seed;
        this.listener = listener;
    }

    public void run(List<ContractCase> contracts) {
        boolean first = mpi.world().rank() == 0;
        Trial.Scratch scratch = new Trial.Scratch();
        mpi.world().barrier();
        for (ContractCase contract : contracts) {
            if (first) listener.begins(contract);
            long start = System.nanoTime();
            try {
                contract.run(new Trial(mpi, seed ^ contract.name().hashCode(), scratch));
                mpi.world().barrier();
            } catch (Throwable t) {
                throw new AssertionError(
                        contract.name() + " failed on rank " + mpi.world().rank() + " of "
                                + mpi.world().size() + ", " + mpi.engineDescription() + ": " + t + "\n  again with: "
                                + command(contract),
                        t);
            }
            if (first) listener.passed(contract, System.nanoTime() - start);
        }
    }

    private String command(ContractCase contract) {
        String engine = mpi.engineName().equals("shm") ? "" : " --engine libmpi --mpi openmpi|mpich";
        return "./tutti run -n " + mpi.world().size() + engine
                + " -cp test/conformance/target/classes " + ContractMain.class.getName() + " --seed " + seed + " "
                + contract.name();
    }
}
