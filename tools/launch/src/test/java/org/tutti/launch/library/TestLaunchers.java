package org.tutti.launch.library;

import java.nio.file.Path;

/// Launchers for tests in other packages, independent of the installation.
public final class TestLaunchers {
    private TestLaunchers() {}

    public static NativeLauncher hydra(Path command) {
        return new HydraLauncher(command, "mpich");
    }

    public static NativeLauncher openMpi(Path command) {
        return new OpenMpiLauncher(command, "openmpi");
    }
}
