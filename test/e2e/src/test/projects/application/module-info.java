/// For the module path and the run-time image; the other packagings leave it out.
module demo {
    requires org.tutti.futures;

    opens demo to
            org.tutti.futures,
            org.tutti.mpi;
}
