/// `tutti doctor`: what is wrong with a machine, its MPI libraries and their settings.
module org.tutti.doctor {
    requires org.tutti.job;
    requires org.tutti.launch;
    requires static transitive org.jspecify;

    exports org.tutti.doctor;
    exports org.tutti.doctor.settings;
}
