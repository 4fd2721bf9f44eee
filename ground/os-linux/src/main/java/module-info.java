/// Access of the shared-memory engine to the operating system. This is the only part of the engine with native
/// access.
module org.tutti.os.linux {
    requires org.tutti.job;
    requires static transitive org.jspecify;

    provides org.tutti.job.os.OsPlatform with
            org.tutti.os.linux.LinuxPlatform;
}
