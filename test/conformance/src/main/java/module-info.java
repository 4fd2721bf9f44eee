/// The contracts of all engines, and random programs. They use only the user API and run in any launcher's
/// jobs.
@SuppressWarnings("module") // the qualified exports name a module that is compiled later
module org.tutti.conformance {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;

    exports org.tutti.conformance to
            org.tutti.e2e;
    exports org.tutti.conformance.contract.type to
            org.tutti.e2e;
    exports org.tutti.conformance.random to
            org.tutti.e2e;
    exports org.tutti.conformance.soak to
            org.tutti.e2e;
    exports org.tutti.conformance.trial to
            org.tutti.e2e;

    // records and enums as messages
    opens org.tutti.conformance.contract.object to
            org.tutti.mpi;
    opens org.tutti.conformance.contract.type to
            org.tutti.mpi;
    opens org.tutti.conformance.contract.window to
            org.tutti.mpi;
}
