package org.tutti.spi;

import org.tutti.spi.type.DeviceLayout;

/// An engine that can transfer memory of a device by address in messages between two ranks.
public interface DeviceMessages extends Power {
    /// Returns whether the engine can transfer memory of this kind.
    boolean takes(DeviceLayout memory);
}
