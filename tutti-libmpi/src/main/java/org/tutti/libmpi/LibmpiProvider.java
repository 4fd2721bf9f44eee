package org.tutti.libmpi;

import org.tutti.libmpi.boot.Library;
import org.tutti.mpi.bootstrap.Place;
import org.tutti.mpi.spi.Engine;
import org.tutti.mpi.spi.EngineProvider;

/// How the engine over the machine's MPI library is found.
public final class LibmpiProvider implements EngineProvider {
    @Override
    public String name() {
        return Place.NATIVE;
    }

    /// Loads the library and calls `MPI_Init_thread`.
    ///
    /// @throws org.tutti.mpi.MpiException if no library can be loaded, or if launcher and library disagree
    ///     about the number of ranks
    @Override
    public Engine open(Place place) {
        // a variable of one library, about that library: no other room has a use for it
        Library library = Library.load(place, Place.openMpiLibraryDirectory());
        return Start.open(place, library);
    }
}
