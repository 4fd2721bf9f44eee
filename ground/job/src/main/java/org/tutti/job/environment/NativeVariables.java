package org.tutti.job.environment;

import java.util.Map;

/// What must be in the environment of a process before it loads a native MPI library.
public final class NativeVariables {
    private NativeVariables() {}

    /// For a JVM: UCX and the PSM libraries leave the signal handlers alone, and hwloc does not start an
    /// OpenCL runtime inside Open MPI's singletons (0.55 s instead of 1.16 s).
    public static final Map<String, String> FOR_JVMS = Map.of(
            "UCX_ERROR_SIGNALS", "",
            "UCX_HANDLE_ERRORS", "none",
            "UCX_DEBUG_SIGNO", "0",
            "HFI_NO_BACKTRACE", "1",
            "IPATH_NO_BACKTRACE", "1",
            "HWLOC_COMPONENTS", "-opencl");

    /// For all processes of a job or for none: with one side only, Open MPI 4.1 ends in an error and 5 in
    /// a crash, as soon as a message is longer than a page.
    ///
    /// They keep a message that is longer than its receive buffer from being written beyond it: Open
    /// MPI's single-copy path, to other processes (`vader` up to 4.1, `smsc` since 5.0) and to itself,
    /// transfers the whole message before it reports the truncation, which in a JVM is a crash some
    /// seconds later. (Copying twice was even faster on the machine it was measured on: 64 KiB at 30
    /// against 8 GB/s.)
    public static final Map<String, String> FOR_JOBS = Map.of(
            "OMPI_MCA_btl_vader_single_copy_mechanism", "none",
            "OMPI_MCA_smsc", "^cma,knem,xpmem",
            "OMPI_MCA_btl_self_flags", "send");
}
