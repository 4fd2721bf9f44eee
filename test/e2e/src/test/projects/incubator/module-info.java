/// A module that requires an incubator module.
module lanes {
    requires org.tutti.mpi;
    requires jdk.incubator.vector;

    opens lanes to
            org.tutti.mpi;
}
