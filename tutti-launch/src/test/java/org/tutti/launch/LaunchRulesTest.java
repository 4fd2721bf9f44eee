package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaunchRulesTest {
    @Test
    void takesAnOuterJobOutOfTheEnvironment() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "TUTTI_RANK",
                "1",
                "OMPI_COMM_WORLD_RANK",
                "1",
                "PMI_RANK",
                "1",
                "PMIX_RANK",
                "1",
                "PATH",
                "/bin",
                "OMPI_MCA_btl",
                "self"));
        InheritedEnvironment.clean(environment);
        assertThat(environment).containsOnlyKeys("PATH", "OMPI_MCA_btl");
    }

    @Test
    void takesWhatTorchrunHasLeftOutOfTheEnvironment() {
        Map<String, String> left = new HashMap<>(
                Map.of("RANK", "1", "WORLD_SIZE", "2", "LOCAL_RANK", "1", "MASTER_ADDR", "a", "GROUP_RANK", "0"));
        InheritedEnvironment.clean(left);
        assertThat(left).containsOnlyKeys("MASTER_ADDR");
        Map<String, String> other = new HashMap<>(Map.of("RANK", "colonel"));
        InheritedEnvironment.clean(other);
        assertThat(other).containsOnlyKeys("RANK");
    }

    @Test
    void twoJobsOnOneMachineHaveTwoPorts() {
        Torchrun words = new Torchrun("2", null, null, null, null);
        Run one = Run.of("A.java", List.of()).torchrun(words).build();
        assertThat(one.size()).isEqualTo(2);
        assertThat(one.placement().nodes()).isNotNull();
        assertThat(one.placement().nodes().variables(1, 1, 2))
                .containsEntry("RANK", "1")
                .containsEntry("WORLD_SIZE", "2")
                .containsEntry("MASTER_ADDR", "localhost")
                .containsEntry("TORCHELASTIC_RESTART_COUNT", "1");
        Run several = Run.of("A.java", List.of())
                .torchrun(new Torchrun("2", "3", "1", "node0", null))
                .build();
        assertThat(several.placement().nodes().variables(0, 1, 2))
                .containsEntry("RANK", "3")
                .containsEntry("WORLD_SIZE", "6")
                .containsEntry("LOCAL_RANK", "1")
                .containsEntry("LOCAL_WORLD_SIZE", "2")
                .containsEntry("GROUP_RANK", "1")
                .containsEntry("MASTER_ADDR", "node0")
                .containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void usesNoCacheThatDoesNotFit() {
        assertThat(AotCache.allows(List.of("-Da=b", "-Xmx2g", "-ea", "-Xmx100000k")))
                .isTrue();
        assertThat(AotCache.allows(List.of("-XX:TieredStopAtLevel=1"))).isTrue();
        assertThat(AotCache.allows(List.of("-Xmx32g"))).isFalse();
        assertThat(AotCache.allows(List.of("-Xmx1t"))).isFalse();
        assertThat(AotCache.allows(List.of("-XX:+UseZGC"))).isFalse();
        assertThat(AotCache.allows(List.of("--add-opens=a/b=c"))).isFalse();
    }

    @Test
    void relaysWholeLinesAndEndsTheLast() throws Exception {
        StringBuilder seen = new StringBuilder();
        byte[] text = ("a\nb\n" + "x".repeat(20_000) + "\nlast").getBytes(StandardCharsets.UTF_8);
        LineRelay relay = new LineRelay(new ByteArrayInputStream(text), "test") {
            @Override
            void lines(byte[] buffer, int from, int to) {
                seen.append(new String(buffer, from, to - from, StandardCharsets.UTF_8));
            }
        };
        relay.start();
        relay.drain(Long.MAX_VALUE);
        assertThat(seen).hasToString("a\nb\n" + "x".repeat(20_000) + "\nlast\n");
    }

    @Test
    void explainsWhatCannotBeStarted() {
        assertThatThrownBy(() -> Run.of("A.java", List.of()).size(0)).hasMessage("-n 0: a job has at least 1 rank");
        assertThatThrownBy(() -> Run.of("A.java", List.of()).engine("tcp")).hasMessageContaining("there are shm");
        assertThatThrownBy(() -> Launcher.run(Run.of("Nowhere.java", List.of()).build()))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("no file Nowhere.java here");
        assertThatThrownBy(() -> Launcher.run(
                        Run.of("no.such.Main", List.of()).classPath("x.jar").build()))
                .hasMessageStartingWith("no class no.such.Main on the class path");
    }
}
