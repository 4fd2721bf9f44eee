package org.tutti.device.info;

import org.jspecify.annotations.Nullable;

/// The attributes of a device that can be queried without opening it.
///
/// @param kind the kind of the backend, for example `opencl`
/// @param index the index within the backend, starting at 0
/// @param name the vendor's name of the device
/// @param uuid an identifier that is equal in every process that sees this device, regardless of the index
/// @param memoryBytes the total size of device memory
/// @param pciId the PCI address, for example `0000:41:00.0`; null if the device is not on that bus, or if the
///     address is unknown
/// @param architecture the compilation target of kernels, for example `sm_90`, `gfx90a`, or the name of a
///     processor
/// @param multiprocessors the number of multiprocessors; at least this number of thread blocks can run in
///     parallel
/// @param threadsPerBlock the maximum number of threads per block
/// @param sharedBytes the maximum size of shared memory per block
/// @param driver the name and version of the driver
public record DeviceAttributes(
        String kind,
        int index,
        String name,
        String uuid,
        long memoryBytes,
        @Nullable String pciId,
        String architecture,
        int multiprocessors,
        int threadsPerBlock,
        long sharedBytes,
        String driver) {
    /// Returns the name, for example `opencl:0`.
    public String id() {
        return kind + ":" + index;
    }
}
