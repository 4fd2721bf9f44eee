/// A pool of ranks that runs tasks: futures, maps and reductions over ranks.
module org.tutti.futures {
    requires org.tutti.job;
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.futures;
}
