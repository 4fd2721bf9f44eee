/// What looks at a program's calls between the API and the engine; see the map.
module org.tutti.inspect {
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;

    uses org.tutti.mpi.spi.JobWatcher;

    provides org.tutti.mpi.spi.Interceptor with
            org.tutti.inspect.Recording;
}
