/// The API of MPJ Express over Tutti. Module and packages have the names of the original.
module mpj {
    requires org.tutti.mpi;
    requires static transitive org.jspecify;

    exports mpi;
    exports mpjbuf;
    exports mpjdev;
    exports xdev;
}
