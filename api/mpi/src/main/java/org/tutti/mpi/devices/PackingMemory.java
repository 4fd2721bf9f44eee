package org.tutti.mpi.devices;

import java.lang.foreign.MemorySegment;

/// Device memory that can pack and unpack elements of a derived type. This is faster than one copy per run.
public interface PackingMemory {
    /// Copies packed bytes of these runs to the host, starting at the packed byte `from`.
    void copyTo(MemorySegment target, PackedRuns runs, long from);

    /// Copies packed bytes from the host into the memory, starting at the packed byte `to`.
    void copyFrom(MemorySegment source, PackedRuns runs, long to);
}
