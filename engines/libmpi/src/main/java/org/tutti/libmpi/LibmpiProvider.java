package org.tutti.libmpi;

import java.util.NoSuchElementException;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Engine;
import org.tutti.spi.EngineProvider;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// The service that opens the engine over the machine's MPI library.
public final class LibmpiProvider implements EngineProvider {
    @Override
    public String name() {
        return RankEnvironment.NATIVE;
    }

    /// Loads the library and calls `MPI_Init_thread`.
    ///
    /// @throws Fault if no library can be loaded, if it is too old, or if launcher and library disagree about
    ///     the number of ranks
    @Override
    public Engine open(RankEnvironment environment) {
        // the library directory is not part of `environment`, because only this module needs it, and only Open
        // MPI sets the variable
        Library library = Library.load(environment, RankEnvironment.openMpiLibraryDirectory());
        try {
            return Start.open(environment, library);
        } catch (ExceptionInInitializerError e) {
            if (!(e.getCause() instanceof NoSuchElementException lacks)) throw e;
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    lacks.getMessage() + ", " + library.version() + " (" + library.path() + "); Tutti needs MPI"
                            + " 3.1 or later; select it with " + RankEnvironment.LIBMPI
                            + "=/path/to/libmpi.so, or --mpi",
                    null);
        }
    }
}
