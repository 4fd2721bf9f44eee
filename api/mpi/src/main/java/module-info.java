/// The user API of Tutti.
@SuppressWarnings("module") // the qualified export names modules that are compiled after this one
module org.tutti.mpi {
    requires org.tutti.spi;
    requires static transitive org.jspecify;

    exports org.tutti.mpi;
    exports org.tutti.mpi.devices to
            org.tutti.device;
    exports org.tutti.mpi.pool to
            org.tutti.futures;
    exports org.tutti.mpi.dropin to
            mpi,
            mpj;

    uses org.tutti.spi.EngineProvider;
    uses org.tutti.spi.ObserverProvider;
    uses org.tutti.spi.Spawner;
}
