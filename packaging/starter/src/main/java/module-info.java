/// Tutti by one dependency: whoever requires this module compiles with `org.tutti.mpi`, and has the engines and the
/// launcher when it runs.
module org.tutti {
    requires transitive org.tutti.mpi;
}
