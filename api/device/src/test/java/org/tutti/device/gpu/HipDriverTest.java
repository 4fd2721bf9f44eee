package org.tutti.device.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.device.hip.HipPlatform;
import org.tutti.device.spi.DeviceDriver;

class HipDriverTest extends GpuDriverContract {
    private static final Map<Integer, String> ERRORS = Map.ofEntries(
            Map.entry(1, "hipErrorInvalidValue"),
            Map.entry(2, "hipErrorOutOfMemory"),
            Map.entry(3, "hipErrorNotInitialized"),
            Map.entry(100, "hipErrorNoDevice"),
            Map.entry(101, "hipErrorInvalidDevice"),
            Map.entry(200, "hipErrorInvalidImage"),
            Map.entry(209, "hipErrorNoBinaryForGpu"),
            Map.entry(400, "hipErrorInvalidHandle"),
            Map.entry(500, "hipErrorNotFound"),
            Map.entry(600, "hipErrorNotReady"),
            Map.entry(700, "hipErrorIllegalAddress"),
            Map.entry(701, "hipErrorLaunchOutOfResources"),
            Map.entry(719, "hipErrorLaunchFailure"),
            Map.entry(801, "hipErrorNotSupported"),
            Map.entry(999, "hipErrorUnknown"));

    @TempDir
    static Path root;

    private final GpuPlatform platform = new HipPlatform(root);

    @BeforeAll
    static void kernelDevice() throws IOException {
        Files.createFile(Files.createDirectory(root.resolve("dev")).resolve("kfd"));
    }

    @Override
    GpuPlatform platform() {
        return platform;
    }

    @Override
    boolean currentByDevice() {
        return true;
    }

    @Override
    String prototypes() {
        return Prototypes.HIP;
    }

    @Override
    String compilerPrototypes() {
        return Prototypes.HIPRTC;
    }

    @Override
    String error(int code) {
        return ERRORS.get(code) + " (" + code + ")";
    }

    @Test
    void loadsNoLibraryWithoutAKernelDevice(@TempDir Path empty) {
        GpuBackend backend = new GpuBackend(new HipPlatform(empty), search -> {
            throw new AssertionError("loaded");
        }) {};
        assertThat(backend.discover().attempts().toString())
                .contains("/dev/kfd: missing, so there is no AMD GPU; load");
    }

    @Test
    void leavesTheArchitectureToTheCompiler() {
        try (DeviceDriver driver = backend().open(0)) {
            assertThat(driver.attributes().architecture()).isEqualTo("gfx9.0");
            assertThat(driver.compiler()).isEqualTo("HIPRTC 12.4 for gfx9.0 (Fake GPU)");
        }
        assertThat(platform.target("gfx90a", List.of())).isEqualTo(new GpuPlatform.Target(null, false));
    }
}
