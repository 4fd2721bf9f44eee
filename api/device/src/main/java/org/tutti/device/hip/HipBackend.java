package org.tutti.device.hip;

import org.tutti.device.gpu.GpuBackend;

/// AMD GPUs.
public final class HipBackend extends GpuBackend {
    public HipBackend() {
        super(new HipPlatform());
    }
}
