package org.tutti.cli;

import picocli.CommandLine.IVersionProvider;

/// What `tutti --version` prints.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "tutti " + tutti(),
            "Java " + System.getProperty("java.runtime.version") + ", " + System.getProperty("java.home")
        };
    }

    /// Prints it without picocli, whose classes take a tenth of a second to load. Returns the exit code.
    static int print() {
        for (String line : new Version().getVersion()) System.out.println(line);
        return 0;
    }

    /// Tutti's own.
    static String tutti() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }
}
