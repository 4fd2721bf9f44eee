package org.tutti.launch.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.job.environment.RankEnvironment;

/// The arguments that precede the program's arguments with `--with mpj`, as in MPJ Express.
class RankArgumentsTest {
    private static String[] filled(String... words) {
        RankMain.fillIn(words, RankEnvironment.of(Map.of(RankEnvironment.RANK, "2", RankEnvironment.SIZE, "3")));
        return words;
    }

    @Test
    void rankAndNumberOfRanksAreTheRanksOwn() {
        assertThat(filled("mpj-rank", "mpj-size", "smpdev", "x")).containsExactly("2", "3", "smpdev", "x");
        assertThat(filled("mpj-rank", "1", "smpdev")).containsExactly("2", "3", "smpdev");
    }

    @Test
    void otherArgumentsAreUnchanged() {
        assertThat(filled("mpj-rank", "mpj-size", "other")).containsExactly("mpj-rank", "mpj-size", "other");
        assertThat(filled("0", "3", "smpdev")).containsExactly("0", "3", "smpdev");
        assertThat(filled("mpj-rank")).containsExactly("mpj-rank");
    }
}
