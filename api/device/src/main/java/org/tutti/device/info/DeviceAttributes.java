package org.tutti.device.info;

import org.jspecify.annotations.Nullable;

/// What a device is, as far as it says so without being opened.
///
/// @param kind the backend's, `opencl` for instance
/// @param index its number in the backend, from 0 on
/// @param name as its maker calls it
/// @param uuid the same in every process that sees this device, whatever number it has there
/// @param memoryBytes all the memory it has
/// @param pciId as `0000:41:00.0`; null where it is not on that bus, or does not say
/// @param architecture what kernels are compiled for: `sm_90`, `gfx90a`, a processor's name
/// @param multiprocessors how many blocks of threads run at once, at least
/// @param threadsPerBlock the most threads that a block may have
/// @param sharedBytes the most memory that the threads of a block may share
/// @param driver what drives it, with its version
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
    /// `opencl:0`.
    public String id() {
        return kind + ":" + index;
    }
}
