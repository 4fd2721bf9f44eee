/// The launcher: starts ranks, relays their output, leaves nothing behind.
module org.tutti.launch {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;
}
