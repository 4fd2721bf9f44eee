package org.tutti.mpi;

import java.util.Map;

/// The criterion by which [Comm#splitType] forms parts. MPI 4.1, section 7.4.2; its
/// `MPI_COMM_TYPE_RESOURCE_GUIDED` has no constant here.
public enum SplitType {
    /// The ranks that can share memory: those of one machine, even if a native library shares no memory between
    /// them.
    SHARED,

    /// The ranks that use one instance of the hardware resource in the info key `mpi_hw_resource_type`. The
    /// value `mpi_shared_memory` means the machine. For other values and without the key there is no part.
    HW_GUIDED,

    /// The ranks of the next finer level of the hardware. The only level is the machine: ranks on several
    /// machines are divided by machine; if all ranks are on one machine, there is no part.
    HW_UNGUIDED,

    /// This rank takes part in the call and is not in any part. `MPI_UNDEFINED`.
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
