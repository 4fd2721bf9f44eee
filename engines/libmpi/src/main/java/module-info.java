/// The engine over an installed MPI library.
module org.tutti.libmpi {
    requires org.tutti.coll;
    requires org.tutti.spi;
    requires static transitive org.jspecify;

    provides org.tutti.spi.EngineProvider with
            org.tutti.libmpi.LibmpiProvider;
}
