package org.tutti.device;

/// What [Devices#map] does on each device.
///
///     (device, x) -> {
///         DeviceBuffer sum = device.zeros(Datatype.FLOAT, 1);
///         device.arrays().sum(x[0], sum);
///         return sum;
///     }
@FunctionalInterface
public interface DeviceFunction {
    /// Runs in a thread of its own for each device, at the same time.
    ///
    /// @param shards of this device, one for each argument of `map`
    /// @return a buffer of this device, one of `shards` for instance
    DeviceBuffer apply(Device device, DeviceBuffer... shards) throws Exception;
}
