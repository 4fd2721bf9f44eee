/// The `tutti` command.
@SuppressWarnings("module") // the qualified export names a module that is compiled later
module org.tutti.cli {
    requires org.tutti.job;
    requires org.tutti.bench;
    requires org.tutti.launch;
    requires info.picocli;
    requires static transitive org.jspecify;

    exports org.tutti.cli to
            org.tutti.e2e;

    opens org.tutti.cli to
            info.picocli;
}
