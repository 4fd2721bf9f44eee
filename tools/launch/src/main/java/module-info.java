/// The launcher: starts ranks, relays their output, leaves nothing behind.
@SuppressWarnings("module") // the qualified exports name modules that are compiled after this one
module org.tutti.launch {
    requires org.tutti.mpi;
    requires org.tutti.spi;
    requires static transitive org.jspecify;
    // A run-time image may lack the compiler; only source files need it.
    requires static java.compiler;
    requires static jdk.compiler;
    // To ask which options this JVM has; without it, ranks that a program spawns get none of them.
    requires static java.management;

    // What to start, and who starts it.
    exports org.tutti.launch;
    exports org.tutti.launch.run;
    exports org.tutti.launch.place;
    exports org.tutti.launch.program;
    exports org.tutti.launch.job;
    // What the other commands of tutti ask the machine and running jobs for.
    exports org.tutti.launch.library to
            org.tutti.bench,
            org.tutti.cli;
    exports org.tutti.launch.text to
            org.tutti.bench,
            org.tutti.cli;
    exports org.tutti.launch.machine to
            org.tutti.bench,
            org.tutti.cli;
    exports org.tutti.launch.watch to
            org.tutti.cli;

    provides org.tutti.spi.Spawner with
            org.tutti.launch.job.ProcessSpawner;
    provides org.tutti.spi.JobWatcher with
            org.tutti.launch.watch.StallWatcher;
}
