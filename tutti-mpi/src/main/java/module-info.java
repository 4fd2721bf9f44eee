/// The user API of Tutti.
module org.tutti.mpi {
    requires org.tutti.spi;
    requires static transitive org.jspecify;

    exports org.tutti.mpi;

    uses org.tutti.spi.EngineProvider;
    uses org.tutti.spi.ObserverProvider;
    uses org.tutti.spi.Spawner;
}
