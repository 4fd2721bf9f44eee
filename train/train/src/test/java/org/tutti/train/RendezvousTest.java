package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class MeetingTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Map<String, String> environment(String... definitions) {
        Map<String, String> all = new TreeMap<>();
        for (String definition : definitions) {
            int equals = definition.indexOf('=');
            all.put(definition.substring(0, equals), definition.substring(equals + 1));
        }
        return all;
    }

    @Test
    void torchrunsVariablesSayWhereAndWhoOneIs() {
        Meeting meeting = Meeting.of(
                        environment("RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=node7", "MASTER_PORT=29501"), SECOND)
                .orElseThrow();
        assertThat(meeting.rank()).isEqualTo(1);
        assertThat(meeting.size()).isEqualTo(4);
        assertThat(meeting.address()).isEqualTo("node7");
        assertThat(meeting.port()).isEqualTo(29501);
        assertThat(meeting.localRank()).isEqualTo(-1);
        assertThat(meeting.localSize()).isEqualTo(-1);
        Meeting local = Meeting.of(
                        environment(
                                "RANK=3",
                                "WORLD_SIZE=4",
                                "LOCAL_RANK=1",
                                "LOCAL_WORLD_SIZE=2",
                                "MASTER_ADDR=a",
                                "MASTER_PORT=1"),
                        SECOND)
                .orElseThrow();
        assertThat(local.localRank()).isEqualTo(1);
        assertThat(local.localSize()).isEqualTo(2);
    }

    @Test
    void whereTheyAreNotNobodyMeets() {
        assertThat(Meeting.of(environment(), SECOND)).isEmpty();
        assertThat(Meeting.of(environment("RANK=3"), SECOND)).isEmpty();
        assertThat(Meeting.of(environment("WORLD_SIZE=3", "MASTER_PORT=1"), SECOND))
                .isEmpty();
    }

    @Test
    void launchersThatContradictEachOtherAreRefused() {
        Map<String, String> both =
                environment("OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2", "PMI_RANK=1", "PMI_SIZE=3");
        assertThatThrownBy(() -> Meeting.current(both, false, SECOND))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("two launchers contradict each other");
    }

    private static void assertRefused(String message, String... definitions) {
        assertThatThrownBy(() -> Meeting.of(environment(definitions), SECOND))
                .isInstanceOf(TrainingException.class)
                .hasMessage(message);
    }

    @Test
    void aVariableThatIsMissingIsNamed() {
        String all = "; set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT for every process, or none of them";
        assertRefused(
                "of torchrun's variables RANK=0, WORLD_SIZE=2 are set, and not MASTER_ADDR, MASTER_PORT" + all,
                "RANK=0",
                "WORLD_SIZE=2");
        assertRefused(
                "of torchrun's variables RANK=0, MASTER_ADDR=a, MASTER_PORT=1 are set, and not WORLD_SIZE" + all,
                "RANK=0",
                "MASTER_ADDR=a",
                "MASTER_PORT=1");
        assertRefused(
                "of torchrun's variables RANK=0, WORLD_SIZE=2, MASTER_ADDR= , MASTER_PORT=1 are set, and not MASTER_ADDR"
                        + all,
                "RANK=0",
                "WORLD_SIZE=2",
                "MASTER_ADDR= ",
                "MASTER_PORT=1");
    }

    @Test
    void aVariableThatIsWrongIsNamedWithItsBounds() {
        String[] right = {"RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=a", "MASTER_PORT=1"};
        String[][] wrong = {
            {"RANK=2", "RANK=2: a number of 0 to 1 is expected"},
            {"RANK=x", "RANK=x: a number of 0 to 1 is expected"},
            {"WORLD_SIZE=0", "WORLD_SIZE=0: a number of 1 to 2147483647 is expected"},
            {"MASTER_PORT=65536", "MASTER_PORT=65536: a number of 1 to 65535 is expected"},
            {"LOCAL_RANK=5", "LOCAL_RANK=5: a number of 0 to 1 is expected"},
        };
        for (String[] one : wrong) {
            Map<String, String> environment = environment(right);
            environment.putAll(environment(one[0]));
            assertThatThrownBy(() -> Meeting.of(environment, SECOND)).hasMessage(one[1]);
        }
    }
}
