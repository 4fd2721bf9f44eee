/// Functions of a pool of ranks behind HTTP: a job service.
module org.tutti.serve {
    requires org.tutti.job;
    requires transitive org.tutti.futures;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports org.tutti.serve;

    // the call site that a worker calls a served function by
    opens org.tutti.serve to
            org.tutti.futures;
}
