package org.tutti.device.spi;

/// Copies between devices of one kind in one process, of a [DeviceDriver] that can do that without the
/// program's memory of the host between them.
public interface PeerMemory {
    /// Whether [#copyFrom] takes this one.
    boolean reaches(DeviceDriver other);

    /// Gives `stream` a copy from memory of `other`. It is done after all that `otherStream`, one of the
    /// other device's, was given until now, and what that is given from now on is done after it.
    ///
    /// @param other of which [#reaches] is true
    void copyFrom(DeviceDriver other, long otherStream, long stream, long to, long from, long bytes);
}
