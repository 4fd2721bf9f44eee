package org.tutti.libmpi.boot;

import org.tutti.job.environment.RankEnvironment;

/// A process that loads the library and does nothing with it: says what it is, and whether its plugins will
/// find its symbols without naming it.
final class Loads {
    private Loads() {}

    public static void main(String[] args) {
        Library library = Library.load(RankEnvironment.current(), null);
        boolean global = LibC.dlsymDefault("MPI_Init_thread", false).address() != 0;
        System.out.println((global ? "global " : "local ") + library.version() + " " + library.path());
    }
}
