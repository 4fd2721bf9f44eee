/// Tutti as a single dependency: a module that requires this one compiles with `org.tutti.mpi`, and has the
/// engines and the launcher at run time.
module org.tutti {
    requires transitive org.tutti.mpi;
}
