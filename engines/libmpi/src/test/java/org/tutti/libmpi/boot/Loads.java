package org.tutti.libmpi.boot;

import org.tutti.job.environment.RankEnvironment;

/// A process that loads the library without using it; prints the version, and whether plugins will find the
/// symbols without being linked.
final class Loads {
    private Loads() {}

    public static void main(String[] args) {
        Library library = Library.load(RankEnvironment.current(), null);
        boolean global = LibC.dlsymDefault("MPI_Init_thread", false).address() != 0;
        System.out.println((global ? "global " : "local ") + library.version() + " " + library.path());
    }
}
