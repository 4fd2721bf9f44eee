package org.tutti.launch.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NodesTest {
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
}
