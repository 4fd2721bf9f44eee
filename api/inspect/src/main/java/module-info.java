/// What looks at a program's calls between the API and the engine; see the map.
module org.tutti.inspect {
    requires transitive org.tutti.spi;
    requires static transitive org.jspecify;
    // For traces; without it they lack what the JVM does.
    requires static jdk.jfr;
    // For the processor time of waiting threads; without it no deadlock over a library is proven.
    requires static java.management;

    uses org.tutti.spi.JobWatcher;

    provides org.tutti.spi.ObserverProvider with
            org.tutti.inspect.Recording,
            org.tutti.inspect.calls.Logging;
}
