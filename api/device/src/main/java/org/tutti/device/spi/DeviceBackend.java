package org.tutti.device.spi;

/// A kind of devices, which is a service of `java.util.ServiceLoader`. The libraries that a backend needs are
/// optional, and are loaded by the first [#discover].
public interface DeviceBackend {
    /// Returns the part of device names before the colon, for example `opencl` in `opencl:0`.
    String kind();

    /// Returns the priority of the backend, which is used if any kind is acceptable. The smallest number has
    /// the highest priority.
    int order();

    /// Searches for devices. Never throws: the result describes missing parts. An implementation may cache the
    /// first result.
    Discovery discover();

    /// Opens a device that [#discover] has found. Each call opens the device separately, if the library
    /// supports that.
    ///
    /// @throws DeviceFault on failure
    DeviceDriver open(int index);
}
