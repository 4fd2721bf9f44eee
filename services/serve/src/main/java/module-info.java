/// A job service: functions of a pool of ranks, offered over HTTP.
module org.tutti.serve {
    requires org.tutti.job;
    requires transitive org.tutti.futures;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports org.tutti.serve;

    // a worker calls a served function through a call site in this package, which the pool resolves by
    // reflection
    opens org.tutti.serve to
            org.tutti.futures;
}
