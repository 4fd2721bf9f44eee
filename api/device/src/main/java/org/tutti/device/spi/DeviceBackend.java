package org.tutti.device.spi;

/// A kind of devices, a service of `java.util.ServiceLoader`. The required libraries are loaded by the first
/// [#discover], and are optional.
public interface DeviceBackend {
    /// Returns the part of device names before the colon: `opencl` in `opencl:0`.
    String kind();

    /// Returns the priority of the backend if any kind is acceptable: the smallest number is preferred.
    int order();

    /// Searches for devices. Never throws: the result describes missing parts. An implementation may cache the
    /// first result.
    Discovery discover();

    /// Opens a device that [#discover] found. Each call opens the device anew, if the library supports that.
    ///
    /// @throws DeviceFault on failure
    DeviceDriver open(int index);
}
