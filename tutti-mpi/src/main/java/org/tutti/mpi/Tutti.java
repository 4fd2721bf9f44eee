package org.tutti.mpi;

/// Ranks as threads of this JVM: for unit tests, JShell, notebooks.
public final class Tutti {
    private Tutti() {}

    /// What each rank runs.
    @FunctionalInterface
    public interface Body {
        void run(Mpi mpi) throws Exception;
    }

    /// Runs `body` on `size` ranks, each a thread of its own, over the same engine that ranks in processes use, and
    /// returns when all have ended.
    ///
    /// When a body throws, ranks that wait for a message get an exception, the others an interrupt and a grace
    /// time; then this throws what was thrown first, with the ranks that did not end named in a suppressed
    /// exception.
    public static void local(int size, Body body) {
        if (size < 1) {
            throw MpiException.argument(ErrorClass.ERR_ARG, "local", "size=" + size + " is no number of ranks", null);
        }
        LocalJob.run(size, body);
    }
}
