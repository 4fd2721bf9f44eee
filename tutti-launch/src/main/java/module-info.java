/// The launcher: starts ranks, relays their output, leaves nothing behind.
module org.tutti.launch {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;
    // A run-time image may lack the compiler; only source files need it.
    requires static java.compiler;
    requires static jdk.compiler;

    exports org.tutti.launch;
}
