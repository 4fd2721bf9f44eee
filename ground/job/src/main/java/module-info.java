/// The model of a job for the launcher and the ranks: rank and size, the state of each rank, and access to the
/// operating system.
@SuppressWarnings("module") // the qualified exports name modules that are compiled after this one
module org.tutti.job {
    requires static transitive org.jspecify;
    // to find the holders of locks and the stacks of virtual threads if a rank hangs; the module may be missing
    // in a run-time image
    requires static java.management;
    // for signal handlers; called by reflection
    requires static jdk.unsupported;
    requires static jdk.management;

    exports org.tutti.job.environment to
            org.tutti.mpi,
            org.tutti.launch,
            org.tutti.e2e,
            org.tutti.spi,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.device,
            org.tutti.futures,
            org.tutti.serve,
            org.tutti.train,
            org.tutti.bench,
            org.tutti.cli;
    exports org.tutti.job.os to
            org.tutti.launch,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.cli,
            org.tutti.coll,
            org.tutti.os.linux;
    exports org.tutti.job.status to
            org.tutti.mpi,
            org.tutti.launch,
            org.tutti.spi,
            org.tutti.shm,
            org.tutti.inspect,
            org.tutti.futures;
    exports org.tutti.job.process to
            org.tutti.mpi,
            org.tutti.launch,
            org.tutti.spi,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.futures,
            org.tutti.serve,
            org.tutti.junit;
    exports org.tutti.job.signal to
            org.tutti.mpi,
            org.tutti.launch,
            org.tutti.libmpi,
            org.tutti.device;
    exports org.tutti.job.calls to
            org.tutti.launch,
            org.tutti.inspect;
    exports org.tutti.job.cpu to
            org.tutti.mpi,
            org.tutti.launch,
            org.tutti.cli;

    uses org.tutti.job.os.OsPlatform;
}
