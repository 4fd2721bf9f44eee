package org.tutti.device.cuda;

import org.tutti.device.gpu.GpuBackend;

/// GPUs of NVIDIA.
public final class CudaBackend extends GpuBackend {
    public CudaBackend() {
        super(new CudaPlatform());
    }
}
