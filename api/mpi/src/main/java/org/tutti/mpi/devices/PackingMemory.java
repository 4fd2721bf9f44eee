package org.tutti.mpi.devices;

import java.lang.foreign.MemorySegment;

/// Memory of a device that packs and unpacks elements of a derived type faster than by one copy for each run.
public interface PackingMemory {
    /// Copies packed bytes of these runs to the host, starting at the packed byte `from`.
    void copyTo(MemorySegment target, PackedRuns runs, long from);

    /// Copies packed bytes from the host to their places, starting at the packed byte `to`.
    void copyFrom(MemorySegment source, PackedRuns runs, long to);
}
