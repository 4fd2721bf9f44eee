package org.tutti.device.spi;

import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;

/// The result of a search for devices.
///
/// @param devices the usable devices, in index order; indices of unusable devices can be missing
/// @param attempts all searched locations, in order, with the result of each: libraries, then failed calls of
///     libraries
public record Discovery(List<DeviceAttributes> devices, List<Attempt> attempts) {
    public Discovery {
        devices = List.copyOf(devices);
        attempts = List.copyOf(attempts);
    }
}
