package org.tutti.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SlurmAllocationTest {
    @Test
    void anAllocationIsReadFromSlurmsVariables() {
        assertThat(SlurmAllocation.of(Map.of())).isNull();
        assertThat(SlurmAllocation.of(Map.of("SLURM_JOB_ID", "7", "SLURM_JOB_NUM_NODES", "3", "SLURM_NTASKS", "12")))
                .isEqualTo(new SlurmAllocation(3, 12, false));
        assertThat(SlurmAllocation.of(Map.of("SLURM_JOB_ID", "7", "SLURM_STEP_ID", "0")))
                .isEqualTo(new SlurmAllocation(1, 0, true));
        assertThat(SlurmAllocation.of(Map.of("SLURM_JOB_ID", "7", "SLURM_STEP_ID", "4294967290")))
                .isEqualTo(new SlurmAllocation(1, 0, false));
    }
}
