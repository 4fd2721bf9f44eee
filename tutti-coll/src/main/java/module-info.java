/// Collective algorithms over point-to-point; see the map.
module org.tutti.coll {
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;
}
