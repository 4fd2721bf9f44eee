/// The launcher: starts ranks, relays the output of ranks, and cleans up after a job.
@SuppressWarnings("module") // the qualified exports name modules that are compiled later
module org.tutti.launch {
    requires org.tutti.mpi;
    requires org.tutti.spi;
    requires static transitive org.jspecify;
    // A run-time image may lack the compiler, which is needed for source files only.
    requires static java.compiler;
    requires static jdk.compiler;
    // Reports the options of this JVM. Without this module, ranks that a program spawns inherit only the
    // incubator modules.
    requires static java.management;

    // The description of a run, and the launcher.
    exports org.tutti.launch;
    exports org.tutti.launch.run;
    exports org.tutti.launch.place;
    exports org.tutti.launch.program;
    exports org.tutti.launch.job;
    // Used by the other commands of `tutti`, for example to query the machine and running jobs.
    exports org.tutti.launch.artifact to
            org.tutti.cli;
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

    // Implemented by tutti-resolve, in a separate class loader.
    uses org.tutti.launch.artifact.Repositories;

    provides org.tutti.spi.Spawner with
            org.tutti.launch.job.ProcessSpawner;
    provides org.tutti.spi.JobWatcher with
            org.tutti.launch.watch.StallWatcher;
}
