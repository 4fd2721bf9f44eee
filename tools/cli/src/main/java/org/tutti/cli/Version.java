package org.tutti.cli;

/// The output of `tutti --version`. Does not use picocli, because picocli's classes need a tenth of a second to
/// load.
final class Version {
    private Version() {}

    static String[] lines() {
        return new String[] {
            "tutti " + tutti(),
            "Java " + System.getProperty("java.runtime.version") + ", " + System.getProperty("java.home")
        };
    }

    /// Prints the version. Returns the exit code.
    static int print() {
        for (String line : lines()) System.out.println(line);
        return 0;
    }

    /// Returns the version of Tutti.
    static String tutti() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }
}
