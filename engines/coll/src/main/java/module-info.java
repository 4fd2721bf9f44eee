/// Shared parts of the engines: collective algorithms over point-to-point, and windows in memory that ranks
/// share.
@SuppressWarnings("module") // the qualified export names modules that are compiled after this one
module org.tutti.coll {
    requires transitive org.tutti.spi;
    requires static transitive org.jspecify;

    exports org.tutti.coll to
            org.tutti.shm,
            org.tutti.libmpi;
    exports org.tutti.coll.window to
            org.tutti.shm,
            org.tutti.libmpi;
}
