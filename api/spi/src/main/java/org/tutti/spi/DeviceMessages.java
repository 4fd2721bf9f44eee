package org.tutti.spi;

import org.tutti.spi.type.DeviceLayout;

/// An engine that may take the memory of devices by its address, in messages between two ranks.
public interface DeviceMessages extends Power {
    /// Whether it takes memory like this.
    boolean takes(DeviceLayout memory);
}
