package org.tutti.device.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.device.cuda.CudaBackend;
import org.tutti.device.hip.HipBackend;
import org.tutti.device.library.Attempt;
import org.tutti.device.spi.Discovery;

/// The results of the vendors' real libraries on this machine, with or without a device.
class RealDriverTest {
    @Test
    void cudaFindsDevicesOrReportsWhyNot() {
        assertDiscovery(new CudaBackend(), "cuInit(flags=0): CUDA_ERROR_NO_DEVICE (100); the NVIDIA driver for CUDA ");
    }

    @Test
    void hipFindsDevicesOrReportsWhyNot() {
        assertDiscovery(new HipBackend(), "/dev/kfd: missing");
    }

    private static void assertDiscovery(GpuBackend backend, String withoutDevice) {
        Discovery found = backend.discover();
        List<Attempt> attempts = found.attempts();
        boolean absent = attempts.getLast().toString().contains("no NVIDIA driver on this host");
        assumeTrue(!absent, "skipped, because no driver was found: " + attempts);
        if (found.devices().isEmpty()) assertThat(attempts.getLast().toString()).startsWith(withoutDevice);
        else assertThat(found.devices().getFirst().uuid()).isNotEmpty();
    }
}
