package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class UserLineTest {
    /// This test is in a package of the library, so the test framework, which calls the test, counts as the
    /// user's program.
    @Test
    void isTheFirstOutsideOfTuttiAndTheJdk() {
        assertThat(UserLine.here()).isNotEmpty().doesNotContain("UserLine").contains(".java:");
        assertThat(UserLine.at()).isEqualTo(" at " + UserLine.here());
        assertThat(new StackSnapshot().at()).isEqualTo(UserLine.at());
    }

    @Test
    void isEmptyWhereOnlyTheJdkCalls() throws Exception {
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            assertThat(pool.submit(UserLine::here).get()).isEmpty();
            assertThat(pool.submit(UserLine::at).get()).isEmpty();
        }
    }
}
