package org.tutti.device.spi;

/// An optional capability of a [DeviceDriver]: copies between two devices of the same kind in one process,
/// which bypass the program's memory on the host.
public interface PeerMemory {
    /// Returns whether [#copyFrom] supports the other device.
    boolean reaches(DeviceDriver other);

    /// Queues a copy from memory of `other` on `stream`. The copy is executed after all work that has been
    /// queued so far on `otherStream`, a stream of the other device. Later work on `otherStream` is executed
    /// after the copy.
    ///
    /// @param other a driver for which [#reaches] returns true
    void copyFrom(DeviceDriver other, long otherStream, long stream, long to, long from, long bytes);
}
