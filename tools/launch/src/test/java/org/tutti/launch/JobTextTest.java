package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class JobTextTest {
    private static BitSet set(int... ranks) {
        BitSet set = new BitSet();
        for (int r : ranks) set.set(r);
        return set;
    }

    @Test
    void namesRanksAsAPersonWould() {
        assertThat(JobText.ranks(set(3))).isEqualTo("rank 3");
        assertThat(JobText.ranks(set(0, 1))).isEqualTo("ranks 0 and 1");
        assertThat(JobText.ranks(set(0, 1, 3))).isEqualTo("ranks 0, 1 and 3");
        assertThat(JobText.ranks(set(0, 1, 2, 4))).isEqualTo("ranks 0-2 and 4");
        assertThat(JobText.were(set(1))).isEqualTo("rank 1 was");
        assertThat(JobText.wait(set(1, 2))).isEqualTo("ranks 1 and 2 wait");
    }

    @Test
    void describesTheSignalOfAProcess() {
        assertThat(JobText.exit(139)).isEqualTo("it was ended by SIGSEGV");
        assertThat(JobText.exit(137)).contains("SIGKILL").contains("memory");
        assertThat(JobText.exit(3)).isEqualTo("it exited");
    }

    @Test
    void explainsUnusableFiles() {
        assertThat(JobText.reason(new IOException("No space left on device"))).isEqualTo("No space left on device");
        assertThat(JobText.reason(new NoSuchFileException("a/b"))).isEqualTo("a/b: no such file or directory");
        assertThat(JobText.reason(new AccessDeniedException("a"))).isEqualTo("a: permission denied");
        assertThat(JobText.reason(new FileAlreadyExistsException("a"))).isEqualTo("a: a file with this name exists");
        assertThat(JobText.reason(new FileSystemException("a", null, "Is a directory")))
                .isEqualTo("a: Is a directory");
    }

    @Test
    void roundsTimesToTenths() {
        assertThat(JobText.seconds(649_000_000)).isEqualTo("0.6 s");
        assertThat(JobText.seconds(12_950_000_000L)).isEqualTo("13.0 s");
        assertThat(JobText.seconds(100_000)).isEqualTo("0.0001 s");
        assertThat(JobText.seconds(49_600_000)).isEqualTo("0.05 s");
        assertThat(JobText.seconds(0)).isEqualTo("0.0 s");
    }
}
