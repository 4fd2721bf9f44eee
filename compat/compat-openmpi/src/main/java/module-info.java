/// Open MPI's Java bindings on top of Tutti. The package has the original's name. The module is named `mpi`, like
/// the automatic module of the original jar.
module mpi {
    requires transitive org.tutti.mpi;

    exports mpi;
}
