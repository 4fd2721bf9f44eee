package org.tutti.cli;

import picocli.CommandLine.IVersionProvider;

/// What `tutti --version` prints.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {
            "tutti " + (version == null ? "(not from a jar)" : version),
            "Java " + System.getProperty("java.runtime.version") + ", " + System.getProperty("java.home")
        };
    }
}
