/// Measurements of Tutti that can be set beside OSU's and mpi4py's.
module org.tutti.bench {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.bench;
}
