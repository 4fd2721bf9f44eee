package org.tutti.libmpi.raw;

import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Fault;

/// A process that prints which of the functions in its arguments exist in the loaded library, and calls a
/// function that no library has.
final class Answers {
    private Answers() {}

    public static void main(String[] functions) throws Throwable {
        Library library = Library.load(RankEnvironment.current(), null);
        System.out.println("version " + library.version());
        for (String function : functions) {
            System.out.println((library.has(function) ? "native " : "absent ") + function);
        }
        try {
            int rc = (int) Link.link("MPI_Nonexistent", Link.INT).invokeExact(1);
            System.out.println("returned " + rc);
        } catch (Fault e) {
            System.out.println("threw " + e.getMessage());
        }
    }
}
