package org.tutti.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// After objects have been created and closed ten thousand times, no open file and no shared memory remains.
@Tag("full")
class ResourceLeakTest extends JobTest {
    private static final String TIMES = "10000";

    @ParameterizedTest
    @EnumSource
    void windowsLeaveNoResidue(Way way) throws Exception {
        assertNothingIsLeft(
                Command.program(way, 2, List.of(), "Often", "windows", TIMES).run());
    }

    @ParameterizedTest
    @EnumSource
    void filesLeaveNoResidue(Way way) throws Exception {
        Path file = Checkout.scratch("often").resolve("often.dat");
        assertNothingIsLeft(Command.program(way, 2, List.of(), "Often", "files", TIMES, file.toString())
                .run());
    }

    private void assertNothingIsLeft(ProcessOutcome outcome) throws Exception {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).as("%s", outcome).isEqualTo("often\n");
        assertNothingIsLeft();
    }
}
