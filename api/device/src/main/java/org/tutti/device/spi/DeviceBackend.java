package org.tutti.device.spi;

/// A kind of devices, a service of `java.util.ServiceLoader`. What it needs is loaded at the first
/// [#discover], and is never required to be there.
public interface DeviceBackend {
    /// What stands before the colon in the name of its devices: `opencl` in `opencl:0`.
    String kind();

    /// Where it comes among the backends when any device will do: the smallest first.
    int order();

    /// Looks for devices. Never throws: what is missing is told in the result. The result of the first
    /// call may be remembered.
    Discovery discover();

    /// Opens a device that [#discover] found. Each call opens it anew, as far as its library can.
    ///
    /// @throws DeviceFault when that fails
    DeviceDriver open(int index);
}
