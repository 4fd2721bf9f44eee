/// JUnit tests that run on several ranks: `@RanksTest(4) void sums(Mpi mpi)`.
module org.tutti.junit {
    requires transitive org.tutti.mpi;
    requires transitive org.junit.jupiter.api;
    requires org.junit.platform.commons;
    requires org.tutti.job;
    requires java.management;
    requires static transitive org.jspecify;

    exports org.tutti.junit;

    // JUnit creates the extension
    opens org.tutti.junit to
            org.junit.platform.commons;
}
