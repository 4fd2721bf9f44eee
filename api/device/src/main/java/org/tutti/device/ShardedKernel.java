package org.tutti.device;

import java.util.List;

/// A kernel that all devices of a [Devices] run at the same time, each with its own shards.
public final class ShardedKernel {
    private final Devices devices;
    private final List<Kernel> kernels;

    ShardedKernel(Devices devices, List<Kernel> kernels) {
        this.devices = devices;
        this.kernels = List.copyOf(kernels);
    }

    /// Launches the kernel on every device, as [Kernel#launch(Dim, Dim, Object...)].
    ///
    /// @param arguments one for each parameter: a [ShardedBuffer] of these devices for a pointer, of
    ///     which each device gets its shard; a number goes to all
    /// @throws DeviceException when they are not those of the kernel; it names the device
    public void launch(Dim grid, Dim block, Object... arguments) {
        for (Object each : arguments) if (each instanceof ShardedBuffer buffer) devices.check("launch", buffer);
        devices.onEach("launch", i -> {
            Object[] own = arguments.clone();
            for (int a = 0; a < own.length; a++) if (own[a] instanceof ShardedBuffer buffer) own[a] = buffer.shard(i);
            kernels.get(i).launch(grid, block, own);
        });
    }

    /// Its name and parameters.
    @Override
    public String toString() {
        return kernels.getFirst().toString();
    }
}
