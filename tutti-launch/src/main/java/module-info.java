/// The launcher: starts ranks, relays their output, leaves nothing behind.
module org.tutti.launch {
    requires org.tutti.mpi;
    requires org.tutti.spi;
    requires static transitive org.jspecify;
    // A run-time image may lack the compiler; only source files need it.
    requires static java.compiler;
    requires static jdk.compiler;
    // To ask which options this JVM has; without it, ranks that a program spawns get none of them.
    requires static java.management;

    exports org.tutti.launch;

    provides org.tutti.spi.Spawner with
            org.tutti.launch.ProcessSpawner;
    provides org.tutti.spi.JobWatcher with
            org.tutti.launch.StallWatcher;
}
