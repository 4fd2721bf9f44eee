/// Collective algorithms over point-to-point; see the map.
@SuppressWarnings("module") // the qualified export names modules that are compiled after this one
module org.tutti.coll {
    requires transitive org.tutti.spi;
    requires static transitive org.jspecify;

    exports org.tutti.coll to
            org.tutti.shm,
            org.tutti.libmpi,
            org.tutti.testkit;
}
