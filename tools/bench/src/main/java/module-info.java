/// Measurements of Tutti that are comparable with OSU's, mpi4py's and C's.
module org.tutti.bench {
    requires java.desktop; // PNG files
    requires java.management; // compilation times
    requires org.tutti.futures;
    requires org.tutti.job;
    requires transitive org.tutti.device;
    requires transitive org.tutti.mpi;
    requires org.tutti.chart;
    requires transitive org.tutti.launch;
    requires static transitive org.jspecify;

    exports org.tutti.bench;
    exports org.tutti.bench.compare;
    exports org.tutti.bench.kernels;
    exports org.tutti.bench.measure;
    exports org.tutti.bench.plan;
    exports org.tutti.bench.report;
}
