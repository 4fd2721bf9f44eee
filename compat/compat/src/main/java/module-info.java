/// What the drop-ins for older Java MPI APIs have in common; for them alone.
@SuppressWarnings("module") // the qualified export names modules that are compiled after this one
module org.tutti.compat {
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.compat to
            mpi,
            mpj;
}
