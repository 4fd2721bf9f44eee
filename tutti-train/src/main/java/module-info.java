/// Data-parallel training, whatever library computes the gradients.
module org.tutti.train {
    requires transitive org.tutti.mpi;
    requires org.tutti.chart;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports org.tutti.train;
    exports org.tutti.train.model;
    exports org.tutti.train.checkpoint;
    exports org.tutti.train.log;
    exports org.tutti.train.backend;

    uses org.tutti.train.backend.Backend;
    uses org.tutti.train.model.TensorLibrary;
}
