package org.tutti.device.spi;

/// Memory that is there, and gone, in the order of a stream's work, of a [DeviceDriver] that can do that:
/// no call waits for the device, and what was freed is used again at once. Other processes cannot open
/// it.
public interface StreamMemory {
    /// Memory for at least `bytes` > 0 bytes, for work that the stream is given from now on.
    long allocate(long stream, long bytes);

    /// Frees what [#allocate(long, long)] returned, after the work that the stream was given until now.
    void free(long stream, long address);
}
