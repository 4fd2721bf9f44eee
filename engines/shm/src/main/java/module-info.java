/// The shared-memory engine, without native access.
module org.tutti.shm {
    requires org.tutti.spi;
    requires org.tutti.coll;
    requires static transitive org.jspecify;

    provides org.tutti.spi.EngineProvider with
            org.tutti.shm.ShmProvider;
}
