package org.tutti.train;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class RendezvousTest {
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
    void torchrunsVariablesHaveAddressAndRank() {
        Rendezvous rendezvous = requireNonNull(Rendezvous.ofEnvironment(
                environment("RANK=1", "WORLD_SIZE=4", "MASTER_ADDR=node7", "MASTER_PORT=29501"), SECOND));
        assertThat(rendezvous.rank()).isEqualTo(1);
        assertThat(rendezvous.size()).isEqualTo(4);
        assertThat(rendezvous.address()).isEqualTo("node7");
        assertThat(rendezvous.port()).isEqualTo(29501);
        assertThat(rendezvous.localRank()).isEmpty();
        assertThat(rendezvous.localSize()).isEmpty();
        Rendezvous local = requireNonNull(Rendezvous.ofEnvironment(
                environment(
                        "RANK=3",
                        "WORLD_SIZE=4",
                        "LOCAL_RANK=1",
                        "LOCAL_WORLD_SIZE=2",
                        "MASTER_ADDR=a",
                        "MASTER_PORT=1"),
                SECOND));
        assertThat(local.localRank()).hasValue(1);
        assertThat(local.localSize()).hasValue(2);
    }

    @Test
    void withoutVariablesThereIsNoRendezvous() {
        assertThat(Rendezvous.ofEnvironment(environment(), SECOND)).isNull();
        assertThat(Rendezvous.ofEnvironment(environment("RANK=3"), SECOND)).isNull();
        assertThat(Rendezvous.ofEnvironment(environment("WORLD_SIZE=3", "MASTER_PORT=1"), SECOND))
                .isNull();
    }

    @Test
    void valuesThatNoRankCanHaveAreRefused() {
        Rendezvous of = Rendezvous.of(0, 2, "a", 1);
        assertThatThrownBy(() -> of.withLocalRank(-1)).hasMessage("withLocalRank: local=-1 is negative");
        assertThatThrownBy(() -> of.withLocalSize(0)).hasMessage("withLocalSize: local=0 is less than 1");
        assertThatThrownBy(() -> of.withTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("withTimeout: limit=PT0S is not positive");
    }

    @Test
    void launchersThatContradictEachOtherAreRefused() {
        Map<String, String> both =
                environment("OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2", "PMI_RANK=1", "PMI_SIZE=3");
        assertThatThrownBy(() -> Rendezvous.current(both, false, SECOND))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("two launchers contradict each other");
    }

    private static void assertRefused(String message, String... definitions) {
        assertThatThrownBy(() -> Rendezvous.ofEnvironment(environment(definitions), SECOND))
                .isInstanceOf(TrainingException.class)
                .hasMessage(message);
    }

    @Test
    void aVariableThatIsMissingIsNamed() {
        String all = "; set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT for every process, or none";
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
            assertThatThrownBy(() -> Rendezvous.ofEnvironment(environment, SECOND))
                    .hasMessage(one[1]);
        }
    }
}
