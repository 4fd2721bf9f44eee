/// For the module path and the run-time image. The other packagings omit this file.
module demo {
    requires org.tutti.futures;

    opens demo to
            org.tutti.futures,
            org.tutti.mpi;
}
