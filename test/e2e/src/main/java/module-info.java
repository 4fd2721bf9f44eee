/// End-to-end tests of Tutti, all in `src/test`.
///
/// The only module that requires the engines by name: the tests run on the module path, and Maven puts only
/// required modules there.
module org.tutti.e2e {
    requires org.tutti.job;
    requires org.tutti.mpi;
    requires org.tutti.shm;
    requires org.tutti.os.linux;
    requires org.tutti.libmpi;
    requires org.tutti.futures; // for test programs
    requires org.tutti.serve; // for test programs
    requires org.tutti.bench;
    requires org.tutti.launch;
    requires org.tutti.cli;
    requires org.tutti.conformance;
    requires static transitive org.jspecify;
    requires java.net.http; // clients of a service
    requires jdk.httpserver; // a Maven repository
    requires jdk.management; // bytes allocated by a thread
}
