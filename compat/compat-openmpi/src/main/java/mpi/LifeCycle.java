package mpi;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.dropin.DropIn;

/// The state of the process between start, `Init` and `Finalize`.
final class LifeCycle {
    private static volatile Mpi mpi;
    private static volatile boolean finalized;
    private static volatile Thread starter;
    private static volatile int threadLevel = MPI.THREAD_SINGLE;

    /// Requests that were freed while active. The program does not wait for them, but a message that must be
    /// packed or unpacked still has to be completed.
    private static final List<org.tutti.mpi.Request> FREED = new ArrayList<>();

    private LifeCycle() {}

    static synchronized void begin(int level) throws MPIException {
        if (mpi != null) throw new MPIException(MPI.ERR_OTHER, "MPI_ERR_OTHER: MPI was initialized before");
        Mpi joined;
        try {
            joined = DropIn.join(MPI.class);
        } catch (org.tutti.mpi.MpiException e) {
            throw Failures.of(e, MPI.ERRORS_RETURN);
        }
        starter = Thread.currentThread();
        threadLevel = level;
        mpi = joined;
        MPI.COMM_WORLD.state.become(joined.world());
        MPI.COMM_SELF.state.become(joined.self());
        MPI.INFO_ENV.fill(joined.startInfo());
    }

    static synchronized void end() throws MPIException {
        Mpi m = mpi();
        org.tutti.mpi.MpiException failure = null;
        try {
            synchronized (FREED) {
                for (org.tutti.mpi.Request r : FREED) {
                    try {
                        r.test();
                    } catch (org.tutti.mpi.MpiException e) {
                        if (failure == null) failure = e;
                    }
                }
            }
            DropIn.leave(m);
            if (failure != null) throw failure;
        } catch (org.tutti.mpi.MpiException e) {
            throw Failures.of(e, MPI.COMM_WORLD.state.errhandler);
        } finally {
            finalized = true;
        }
    }

    /// Returns the Mpi between `Init` and `Finalize`.
    static Mpi mpi() throws MPIException {
        Mpi m = mpi;
        if (m != null && !finalized) return m;
        throw new MPIException(0, finalized ? "MPI is finalized." : "MPI is not initialized.");
    }

    /// Returns the Mpi in any state: null before `Init`.
    static Mpi mpiOrNull() {
        return mpi;
    }

    static boolean isInitialized() {
        return mpi != null;
    }

    static boolean isFinalized() {
        return finalized;
    }

    static boolean isStarter() {
        return Thread.currentThread() == starter;
    }

    static int threadLevel() {
        return threadLevel;
    }

    static void freed(org.tutti.mpi.Request active) {
        synchronized (FREED) {
            FREED.removeIf(org.tutti.mpi.Request::test);
            FREED.add(active);
        }
    }
}
