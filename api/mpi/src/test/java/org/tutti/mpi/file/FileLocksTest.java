package org.tutti.mpi.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLocksTest {
    @Test
    void areUsedOnFileSystemsWithCachingHosts() {
        assertThat(new String[] {"nfs", "nfs4", "NFS", "cifs", "smb3", "smbfs"}).allMatch(FileLocks::keepsCopies);
        assertThat(new String[] {"ext4", "xfs", "tmpfs", "overlay", "btrfs", "lustre", "gpfs", "ceph", "apfs"})
                .noneMatch(FileLocks::keepsCopies);
    }

    @Test
    void areNotForTheDirectoryOfTemporaryFiles(@TempDir Path local) throws Exception {
        assertThat(FileLocks.areNeeded(local)).isFalse();
        assertThat(FileLocks.areNeeded(local)).isFalse();
    }

    @Test
    void fileSystemOrHintEnablesLocks() {
        assertThat(FileHints.of(Map.of(), false).locks()).isFalse();
        assertThat(FileHints.of(Map.of(), false).all()).isEmpty();
        assertThat(FileHints.of(Map.of("tutti_locks", "true"), false).locks()).isTrue();
        assertThat(FileHints.of(Map.of(), true).locks()).isTrue();
        assertThat(FileHints.of(Map.of(), true).all()).isEqualTo(Map.of("tutti_locks", "true"));
        assertThat(FileHints.of(Map.of("tutti_locks", "false"), true).locks()).isFalse();
    }
}
