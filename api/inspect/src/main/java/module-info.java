/// Observers of a program's calls between the API and the engine; see docs/map.md.
module org.tutti.inspect {
    requires transitive org.tutti.spi;
    requires static transitive org.jspecify;
    // for traces; without this module, traces contain no events of the JVM
    requires static jdk.jfr;
    // for the processor time of waiting threads; without this module, no deadlock over a native MPI library is
    // detected with certainty
    requires static java.management;

    uses org.tutti.spi.JobWatcher;

    provides org.tutti.spi.ObserverProvider with
            org.tutti.inspect.Recording,
            org.tutti.inspect.calls.Logging;
}
