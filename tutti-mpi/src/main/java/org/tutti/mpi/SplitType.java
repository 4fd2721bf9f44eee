package org.tutti.mpi;

/// By what [Comm#splitType] makes parts. Not here yet: the hardware-guided types of MPI 4.1, section 7.4.2.
public enum SplitType {
    /// Ranks that can share memory: those of one machine, also where a native library shares none between
    /// them.
    SHARED
}
