/// The contract that every engine keeps.
///
/// The one module that requires the engines by name: tests run on the module path,
/// and only a required module is put there.
module org.tutti.testkit {
    requires org.tutti.job;
    requires org.tutti.spi;
    requires org.tutti.mpi;
    requires org.tutti.coll;
    requires org.tutti.shm;
    requires org.tutti.os.linux;
    requires org.tutti.libmpi;
    requires org.tutti.futures; // for programs of tests
    requires org.tutti.serve; // the same
    requires org.tutti.launch;
    requires org.tutti.bench;
    requires org.tutti.cli;
    requires static transitive org.jspecify;
    requires java.net.http; // clients of a service
    requires jdk.management; // bytes allocated by a thread

    // records and enums as messages
    opens org.tutti.testkit.contract.object to
            org.tutti.mpi;
    opens org.tutti.testkit.contract.type to
            org.tutti.mpi;
    opens org.tutti.testkit.contract.window to
            org.tutti.mpi;
}
