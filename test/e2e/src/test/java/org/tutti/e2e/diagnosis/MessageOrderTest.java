package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// Two messages of one sender with one tag are received in reverse order, and are not confused: a correct type
/// is not reported, and a wrong type is reported.
@Tag("ci")
class MessageOrderTest extends JobTest {
    @ParameterizedTest
    @EnumSource(Way.class)
    void typesAreCheckedForOutOfOrderReceives(Way way) throws Exception {
        way.require();
        ProcessOutcome ended = Command.program(way, 2, List.of(), "Overtakes").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).contains("a wrong type: Message.recv", "sent at Overtakes.java:");
    }
}
