package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class WordsTest {
    private static BitSet set(int... ranks) {
        BitSet set = new BitSet();
        for (int r : ranks) set.set(r);
        return set;
    }

    @Test
    void namesRanksAsAPersonWould() {
        assertThat(Words.ranks(set(3))).isEqualTo("rank 3");
        assertThat(Words.ranks(set(0, 1))).isEqualTo("ranks 0 and 1");
        assertThat(Words.ranks(set(0, 1, 3))).isEqualTo("ranks 0, 1 and 3");
        assertThat(Words.ranks(set(0, 1, 2, 4))).isEqualTo("ranks 0-2 and 4");
        assertThat(Words.were(set(1))).isEqualTo("rank 1 was");
        assertThat(Words.wait(set(1, 2))).isEqualTo("ranks 1 and 2 wait");
    }

    @Test
    void saysWhichSignalEndedAProcess() {
        assertThat(Words.exit(139)).isEqualTo("it ended by SIGSEGV");
        assertThat(Words.exit(137)).contains("SIGKILL").contains("memory");
        assertThat(Words.exit(3)).isEqualTo("it ended by itself");
    }

    @Test
    void roundsTimesToTenths() {
        assertThat(Words.seconds(649_000_000)).isEqualTo("0.6 s");
        assertThat(Words.seconds(12_950_000_000L)).isEqualTo("13.0 s");
    }
}
