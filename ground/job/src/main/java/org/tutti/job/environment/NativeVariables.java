package org.tutti.job.environment;

import java.util.Map;

/// Variables that must be in the environment of a process before it loads a native MPI library.
public final class NativeVariables {
    private NativeVariables() {}

    /// Variables for a JVM. With these, UCX and the PSM libraries do not change signal handlers, and hwloc does
    /// not start an OpenCL runtime in Open MPI's singletons (a start takes 0.55 s instead of 1.16 s).
    public static final Map<String, String> FOR_JVMS = Map.of(
            "UCX_ERROR_SIGNALS", "",
            "UCX_HANDLE_ERRORS", "none",
            "UCX_DEBUG_SIGNO", "0",
            "HFI_NO_BACKTRACE", "1",
            "IPATH_NO_BACKTRACE", "1",
            "HWLOC_COMPONENTS", "-opencl");

    /// Variables that either all processes of a job or none must have: if only some processes have these
    /// variables, Open MPI 4.1 ends with an error, and Open MPI 5 with a crash, when a message is longer than a
    /// page.
    ///
    /// With these variables, a message longer than the receive buffer is not written beyond the end of the
    /// buffer. Open MPI's single-copy path, both to other processes (`vader` up to 4.1, `smsc` since 5.0) and
    /// within a process, transfers the whole message before it reports the truncation; a JVM then crashes some
    /// seconds later. (On the measured machine, two copies were even faster: 64 KiB at 30 GB/s instead of 8
    /// GB/s.)
    public static final Map<String, String> FOR_JOBS = Map.of(
            "OMPI_MCA_btl_vader_single_copy_mechanism", "none",
            "OMPI_MCA_smsc", "^cma,knem,xpmem",
            "OMPI_MCA_btl_self_flags", "send");
}
