package org.tutti.testkit.job;

/// How much of the tests a build runs: by default each promise once, with `-Pfull` all there is. A test that the
/// default build leaves out whole has `@Tag("full")`.
public final class Tier {
    public static final boolean FULL = Boolean.getBoolean("tutti.full");

    private Tier() {}
}
