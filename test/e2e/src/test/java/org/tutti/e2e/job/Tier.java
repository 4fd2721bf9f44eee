package org.tutti.e2e.job;

/// The extent of the tests in a build. By default each guarantee is tested once, on shared memory. `-Pci`,
/// which the build machine uses, adds long tests and one or two cases of each kind over the MPI libraries.
/// `-Pfull` runs all tests. A test that runs only with a profile has `@Tag("ci")` or `@Tag("full")`.
public final class Tier {
    public static final boolean FULL = Boolean.getBoolean("tutti.full");

    /// Whether the build has `-Pci` or `-Pfull`.
    public static final boolean CI = FULL || Boolean.getBoolean("tutti.ci");

    private Tier() {}
}
