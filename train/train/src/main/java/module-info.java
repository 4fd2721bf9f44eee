/// Data-parallel training with any tensor library.
module org.tutti.train {
    requires org.tutti.job;
    requires transitive org.tutti.mpi;
    requires org.tutti.chart;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports org.tutti.train;
    exports org.tutti.train.average;
    exports org.tutti.train.model;
    exports org.tutti.train.checkpoint;
    exports org.tutti.train.log;
    exports org.tutti.train.spi;

    uses org.tutti.train.AcceleratorBackend;
    uses org.tutti.train.Backend;
    uses org.tutti.train.model.TensorLibrary;
}
