/// The API of MPJ Express over Tutti. The module and its packages have the names of the original.
module mpj {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;

    exports mpi;
    exports mpjbuf;
    exports mpjdev;
    exports xdev;
}
