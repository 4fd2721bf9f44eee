/// Devices: their memory, kernels that are compiled at run time, and messages of both.
module org.tutti.device {
    requires transitive org.tutti.mpi;
    requires static transitive org.jspecify;
}
