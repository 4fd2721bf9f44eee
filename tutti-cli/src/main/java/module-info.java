/// The `tutti` command.
module org.tutti.cli {
    requires org.tutti.mpi;
    requires org.tutti.bench;
    requires org.tutti.doctor;
    requires org.tutti.launch;
    requires info.picocli;
    requires static transitive org.jspecify;

    opens org.tutti.cli to
            info.picocli;
}
