package org.tutti.device;

/// The function that [Devices#map] runs on each device.
///
///     (device, x) -> {
///         DeviceBuffer sum = device.zeros(Datatype.FLOAT, 1);
///         device.arrays().sum(x[0], sum);
///         return sum;
///     }
@FunctionalInterface
public interface DeviceFunction {
    /// Called concurrently for all devices, in one thread per device.
    ///
    /// @param shards the shards on this device, one for each argument of `map`
    /// @return a buffer of this device, for example one of `shards`
    DeviceBuffer apply(Device device, DeviceBuffer... shards) throws Exception;
}
