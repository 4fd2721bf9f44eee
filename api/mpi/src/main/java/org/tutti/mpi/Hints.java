package org.tutti.mpi;

import org.tutti.mpi.file.FileHints;

/// The names of the hints that have an effect. They are the keys in maps of hints. Hints with other names are
/// stored, but have no effect. MPI 4.1, chapter 10.
///
///     world.setInfo(Map.of(Hints.IDLE, "true"));
public final class Hints {
    private Hints() {}

    // ---- of a communicator: Communicator.setInfo, dup, idup

    /// With the value `true`, ranks that wait for messages on this communicator count as idle, and are never
    /// reported as stalled or deadlocked.
    public static final String IDLE = "tutti_idle";

    /// With the value `true`, in a job that continues when a rank dies, collective calls end with
    /// `ERR_PROC_FAILED`, and so do requests with the dead rank. When a rank detects the death, pending receives
    /// with `ANY_SOURCE` fail, and so does the next blocking probe with it; all other calls continue.
    public static final String OUTLIVES = "tutti_outlives";

    /// With the value `true`, and in addition to [#OUTLIVES], every receive and probe ends with
    /// `ERR_PROC_FAILED` after the death of a rank.
    public static final String FAILS_TOGETHER = "tutti_fails_together";

    /// The resource that [SplitType#HW_GUIDED] uses. The value is `mpi_shared_memory`. MPI 4.1, section 7.4.2.
    public static final String HW_RESOURCE_TYPE = "mpi_hw_resource_type";

    // ---- of a window: Window.shared

    /// With the value `true`, the memory of a rank need not begin where the memory of the previous rank ends.
    /// MPI 4.1, section 12.2.3.
    public static final String ALLOC_SHARED_NONCONTIG = "alloc_shared_noncontig";

    // ---- of a file: MpiFile.open, MpiFile.setInfo

    /// The number of ranks that access the file for all ranks in a collective access. MPI 4.1, section 14.2.8.
    public static final String CB_NODES = FileHints.CB_NODES;

    /// The number of bytes that each of the [#CB_NODES] ranks collects at a time. MPI 4.1, section 14.2.8.
    public static final String CB_BUFFER_SIZE = FileHints.CB_BUFFER_SIZE;

    /// With the value `false`, each rank accesses the file independently. MPI 4.1, section 14.2.8.
    public static final String COLLECTIVE_BUFFERING = FileHints.COLLECTIVE_BUFFERING;

    /// The value `disable` has the effect of `false` for [#COLLECTIVE_BUFFERING], not only for reads but also
    /// for writes. The name of the hint is ROMIO's.
    public static final String ROMIO_CB_READ = FileHints.ROMIO_CB_READ;

    /// The value `disable` has the effect of `false` for [#COLLECTIVE_BUFFERING], not only for writes but also
    /// for reads. The name of the hint is ROMIO's.
    public static final String ROMIO_CB_WRITE = FileHints.ROMIO_CB_WRITE;

    /// Whether each access acquires a lock of the system on the accessed part of the file. The default is
    /// `true` on NFS and SMB.
    public static final String LOCKS = FileHints.LOCKS;
}
