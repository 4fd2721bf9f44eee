package org.tutti.job.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Simulated systems: no GPU is needed or was used.
class VisibleDevicesTest {
    @TempDir
    Path root;

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void nvidia(int count) throws IOException {
        for (String other : new String[] {"nvidiactl", "nvidia-uvm", "nvidia-caps/nvidia-cap1"})
            file("dev/" + other, "");
        for (int i = 0; i < count; i++) file("dev/nvidia" + i, "");
    }

    @Test
    void thereAreNoneWithoutADriversFiles() {
        assertThat(VisibleDevices.count(root, Map.of("CUDA_VISIBLE_DEVICES", "0,1")))
                .isZero();
    }

    @Test
    void nvidiasAreItsNumberedFiles() throws IOException {
        nvidia(12);
        assertThat(VisibleDevices.count(root, Map.of())).isEqualTo(12);
    }

    @Test
    void aContainersOneCountsWhateverItsNumber() throws IOException {
        file("dev/nvidia3", "");
        assertThat(VisibleDevices.count(root, Map.of("CUDA_VISIBLE_DEVICES", "0")))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "\"\", 0",
                "-1, 0",
                "\"0\", 1",
                "\"3, 1\", 2",
                "\"0,1,2,3\", 4",
                "\"0,9,1\", 1",
                "\"0,-1,1\", 1",
                "\"2,2\", 0",
                "\"1,01\", 0",
                "\"0,x\", 1",
                "GPU-8932f937, 1",
                "\"GPU-89,GPU-90\", 2",
                "\"GPU-89,GPU-89\", 0",
                "\"MIG-GPU-1/0/0,1\", 1",
                "NoDevFiles, 0"
            })
    void aListIsExclusiveAndStopsAtInvalidEntries(String list, int visible) throws IOException {
        nvidia(4);
        assertThat(VisibleDevices.count(root, Map.of("CUDA_VISIBLE_DEVICES", list, "HIP_VISIBLE_DEVICES", "0")))
                .isEqualTo(visible);
    }

    @Test
    void amdsAreTheNodesThatAreNoProcessors() throws IOException {
        file("dev/kfd", "");
        int[] ids = {0, 0, 51542, 63029, 4811};
        for (int i = 0; i < ids.length; i++) file("sys/class/kfd/kfd/topology/nodes/" + i + "/gpu_id", ids[i] + "\n");
        assertThat(VisibleDevices.count(root, Map.of())).isEqualTo(3);
        assertThat(VisibleDevices.count(root, Map.of("CUDA_VISIBLE_DEVICES", "")))
                .isEqualTo(3);
        assertThat(VisibleDevices.count(root, Map.of("ROCR_VISIBLE_DEVICES", "0,2")))
                .isEqualTo(2);
        // the second list numbers the devices of the first list
        assertThat(VisibleDevices.count(root, Map.of("ROCR_VISIBLE_DEVICES", "0,2", "HIP_VISIBLE_DEVICES", "1,2")))
                .isEqualTo(1);
        Files.delete(root.resolve("dev/kfd"));
        assertThat(VisibleDevices.count(root, Map.of())).isZero();
    }
}
