package org.tutti.device.spi;

import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;

/// What a backend found.
///
/// @param devices in the order of their numbers, from 0 on
/// @param attempts every place that was looked at, in that order, with what was there: libraries, then
///     calls of them that failed
public record Discovery(List<DeviceAttributes> devices, List<Attempt> attempts) {
    public Discovery {
        devices = List.copyOf(devices);
        attempts = List.copyOf(attempts);
    }
}
