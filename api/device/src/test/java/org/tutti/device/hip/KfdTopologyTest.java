package org.tutti.device.hip;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KfdTopologyTest {
    @Test
    void readsTheArchitectureFromTheKernelsList(@TempDir Path nodes) throws IOException {
        node(nodes, "0", "cpu_cores_count 32\nlocation_id 0\ndomain 0\ngfx_target_version 0\n");
        node(nodes, "1", "name vega\nlevel -1\nlocation_id 16640\ndomain 0\ngfx_target_version 90010\n");
        node(nodes, "2", "location_id 16640\ndomain 1\ngfx_target_version 100300\n");
        KfdTopology topology = new KfdTopology(nodes);
        assertThat(topology.architecture("0000:41:00.0")).isEqualTo("gfx90a");
        assertThat(topology.architecture("0001:41:00.0")).isEqualTo("gfx1030");
        assertThat(topology.architecture("0000:42:00.0")).isNull();
        assertThat(new KfdTopology(nodes.resolve("none")).architecture("0000:41:00.0"))
                .isNull();
    }

    private static void node(Path nodes, String name, String properties) throws IOException {
        Files.writeString(Files.createDirectory(nodes.resolve(name)).resolve("properties"), properties);
    }
}
