/// The user API of Tutti, the door to its engines, and what launcher and engines know about a job.
@SuppressWarnings("module") // the qualified exports name modules that are compiled after this one
module org.tutti.mpi {
    requires static transitive org.jspecify;
    // Who holds a lock, and what virtual threads do, when a rank hangs; a run-time image may lack them.
    requires static java.management;
    requires static jdk.management;

    exports org.tutti.mpi;
    exports org.tutti.mpi.spi to
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.testkit;
    exports org.tutti.mpi.layout to
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.testkit;
    exports org.tutti.mpi.calls to
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.testkit;
    exports org.tutti.mpi.bootstrap to
            org.tutti.shm,
            org.tutti.shm.linux,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.doctor,
            org.tutti.train,
            org.tutti.bench,
            org.tutti.cli,
            org.tutti.testkit;

    uses org.tutti.mpi.spi.EngineProvider;
    uses org.tutti.mpi.spi.Interceptor;
    uses org.tutti.mpi.spi.Spawner;
    uses org.tutti.mpi.bootstrap.OsDoor;
}
