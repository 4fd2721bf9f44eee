package org.tutti.launch.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLaunchersTest {
    @TempDir
    Path directory;

    @Test
    void aLauncherThatLeavesAChildIsKnownByItsVersion() throws Exception {
        Path pid = directory.resolve("pid");
        Path mpirun = Files.writeString(
                directory.resolve("mpirun"),
                "#!/bin/sh\nsleep 600 &\necho $! >" + pid + "\necho 'mpirun (Open MPI) 9.9.9'\n");
        Files.setPosixFilePermissions(mpirun, PosixFilePermissions.fromString("rwx------"));
        String version = NativeLaunchers.version(mpirun);
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
        assertThat(version).isEqualTo("mpirun (Open MPI) 9.9.9\n");
    }

    @Test
    void openMpisVersionIsReadWhateverItsLauncherIsCalled() {
        assertThat(OpenMpiLauncher.major("mpirun.openmpi (OpenRTE) 4.1.4\n")).isEqualTo(4);
        assertThat(OpenMpiLauncher.major("mpirun (Open MPI) 5.0.7\n")).isEqualTo(5);
        assertThat(OpenMpiLauncher.major("prterun (PRRTE) 3.0.8\n")).isEqualTo(5);
    }
}
