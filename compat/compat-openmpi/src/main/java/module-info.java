/// Open MPI's Java bindings on top of Tutti. The module and the package have the names of the original jar on a
/// module path.
module mpi {
    requires transitive org.tutti.mpi;

    exports mpi;
}
