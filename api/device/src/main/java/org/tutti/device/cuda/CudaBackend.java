package org.tutti.device.cuda;

import org.tutti.device.gpu.GpuBackend;

/// NVIDIA GPUs.
public final class CudaBackend extends GpuBackend {
    public CudaBackend() {
        super(new CudaPlatform());
    }
}
