package org.tutti.device;

import java.util.List;

/// A kernel that runs concurrently on all devices of a [Devices], each with the shards on that device.
public final class ShardedKernel {
    private final Devices devices;
    private final List<Kernel> kernels;

    ShardedKernel(Devices devices, List<Kernel> kernels) {
        this.devices = devices;
        this.kernels = List.copyOf(kernels);
    }

    /// Launches the kernel on every device, like [Kernel#launch(Dim, Dim, Object...)].
    ///
    /// @param arguments one argument per parameter. For a pointer, the argument is a [ShardedBuffer] of these
    ///     devices, and each device receives its shard; a number is passed to all devices
    /// @throws DeviceException if the arguments do not fit the signature; the message names the device
    public void launch(Dim grid, Dim block, Object... arguments) {
        for (Object each : arguments) if (each instanceof ShardedBuffer buffer) devices.check("launch", buffer);
        devices.onEach("launch", i -> {
            Object[] own = arguments.clone();
            for (int a = 0; a < own.length; a++) if (own[a] instanceof ShardedBuffer buffer) own[a] = buffer.shard(i);
            kernels.get(i).launch(grid, block, own);
        });
    }

    /// Returns the name and the parameters.
    @Override
    public String toString() {
        return kernels.getFirst().toString();
    }
}
