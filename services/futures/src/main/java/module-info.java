/// A pool of ranks that runs tasks: futures, maps and reductions over ranks.
@SuppressWarnings("module") // the launcher is no dependency
module org.tutti.futures {
    requires org.tutti.job;
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.futures;
    // The launcher calls the main method of workers.
    opens org.tutti.futures to
            org.tutti.launch;
}
