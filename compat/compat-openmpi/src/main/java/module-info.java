/// Open MPI's Java bindings over Tutti. The module and its package are called as the original's jar is on a module
/// path.
module mpi {
    requires transitive org.tutti.mpi;

    exports mpi;
}
