package org.tutti.spi;

/// An engine that may take the memory of devices by its address, in messages between two ranks.
public interface DeviceMessages extends Power {
    /// Whether it takes that of devices of this kind, `cuda` for instance.
    boolean takes(String deviceKind);
}
