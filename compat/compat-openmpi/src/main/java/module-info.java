/// Open MPI's Java bindings on top of Tutti. The package has the original's name, and the module has the name
/// that the original jar gets on a module path.
module mpi {
    requires transitive org.tutti.mpi;

    exports mpi;
}
