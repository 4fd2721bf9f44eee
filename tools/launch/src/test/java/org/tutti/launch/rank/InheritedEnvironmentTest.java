package org.tutti.launch.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InheritedEnvironmentTest {
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
    void retainsDeviceSettingsOfTheUser() {
        Map<String, String> environment =
                new HashMap<>(Map.of("TUTTI_DEVICE", "host", "TUTTI_MPI_DEVICES", "cuda", "TUTTI_LOCAL_RANK", "1"));
        InheritedEnvironment.clean(environment);
        assertThat(environment).containsOnlyKeys("TUTTI_DEVICE", "TUTTI_MPI_DEVICES");
    }

    @Test
    void removesVariablesOfTorchrun() {
        Map<String, String> left = new HashMap<>(
                Map.of("RANK", "1", "WORLD_SIZE", "2", "LOCAL_RANK", "1", "MASTER_ADDR", "a", "GROUP_RANK", "0"));
        InheritedEnvironment.clean(left);
        assertThat(left).containsOnlyKeys("MASTER_ADDR");
        Map<String, String> other = new HashMap<>(Map.of("RANK", "colonel"));
        InheritedEnvironment.clean(other);
        assertThat(other).containsOnlyKeys("RANK");
    }
}
