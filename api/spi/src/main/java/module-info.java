/// The interface between the user API and the engines, and the values that they have in common: element types,
/// reductions, faults.
@SuppressWarnings("module") // the qualified exports name modules that are compiled after this one
module org.tutti.spi {
    requires transitive org.tutti.job;
    requires static transitive org.jspecify;

    exports org.tutti.spi to
            org.tutti.mpi,
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.launch;
    exports org.tutti.spi.reduce to
            org.tutti.mpi,
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect;
    exports org.tutti.spi.type to
            org.tutti.mpi,
            org.tutti.coll,
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.inspect,
            org.tutti.launch;
}
