package org.tutti.mpi;

import java.util.Map;

/// The criterion by which [Comm#splitType] forms parts. MPI 4.1, section 7.4.2. There is no constant for
/// `MPI_COMM_TYPE_RESOURCE_GUIDED`.
public enum SplitType {
    /// The ranks that can share memory: all ranks on the same machine, even if a native library does not use
    /// shared memory.
    SHARED,

    /// The ranks that use the same instance of the hardware resource in the info key `mpi_hw_resource_type`.
    /// The value `mpi_shared_memory` means the machine. For other values, and without the key, no rank is in
    /// any part.
    HW_GUIDED,

    /// The ranks of the next finer level of the hardware. The only supported level is the machine: ranks on
    /// several machines are divided by machine; if all ranks are on the same machine, no rank is in any part.
    HW_UNGUIDED,

    /// This rank participates in the call, but is not in any part. The standard's name is `MPI_UNDEFINED`.
    UNDEFINED;
    private static final String SHARED_MEMORY = "mpi_shared_memory";

    /// Returns whether the ranks of a machine form a part.
    boolean isByMachine(Map<String, String> info) {
        return switch (this) {
            case SHARED, HW_UNGUIDED -> true;
            case HW_GUIDED -> SHARED_MEMORY.equals(info.get(Hints.HW_RESOURCE_TYPE));
            case UNDEFINED -> false;
        };
    }
}
