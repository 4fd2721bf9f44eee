/// The user API of Tutti, the door to its engines, and what launcher and engines know about a job.
@SuppressWarnings("module") // the qualified exports name modules that are compiled after this one
module org.tutti.mpi {
    requires static transitive org.jspecify;
    // Who holds a lock, and what virtual threads do, when a rank hangs; a run-time image may lack them.
    requires static java.management;
    requires static jdk.management;

    exports org.tutti.mpi;
    exports org.tutti.spi to
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.testkit;
    exports org.tutti.spi.reduce to
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi;
    exports org.tutti.spi.type to
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.libmpi,
            org.tutti.testkit;
    exports org.tutti.job.calls to
            org.tutti.inspect,
            org.tutti.launch,
            org.tutti.testkit;
    exports org.tutti.job to
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

    uses org.tutti.spi.EngineProvider;
    uses org.tutti.spi.Interceptor;
    uses org.tutti.spi.Spawner;
    uses org.tutti.job.OsDoor;
}
