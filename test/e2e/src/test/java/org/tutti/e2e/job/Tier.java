package org.tutti.e2e.job;

/// How much of the tests a build runs: by default each promise once, on shared memory; with `-Pci`, as the build
/// machine does, also one or two of each kind over the libraries, and what takes long; with `-Pfull` all there
/// is. A
/// test that runs with a profile alone has `@Tag("ci")` or `@Tag("full")`.
public final class Tier {
    public static final boolean FULL = Boolean.getBoolean("tutti.full");

    /// With `-Pci` or `-Pfull`.
    public static final boolean CI = FULL || Boolean.getBoolean("tutti.ci");

    private Tier() {}
}
