package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Way;

/// A JVM with somebody else's MPI library in it.
class NativeLibraryTest extends JobTest {
    @ParameterizedTest
    @EnumSource(Way.class)
    void theJvmKeepsItsSignalHandlers(Way way) throws Exception {
        Ended ended = Command.program(way, 2, List.of(), "Storm").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).isEqualTo("caught 100020\n");
    }
}
