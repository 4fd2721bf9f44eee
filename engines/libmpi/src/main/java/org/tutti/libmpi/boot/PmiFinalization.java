package org.tutti.libmpi.boot;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;

/// The end of a rank where `MPI_Finalize` may hang: its launcher is told what the library would have told.
///
/// MPICH before 4.2 over UCX closes its connections in `MPI_Finalize` and then waits for the launcher's
/// barrier, where it moves nothing. With ranks on several hosts, some wait there while others still need them
/// to close theirs: of Debian 12's 4.0.2, every second job that had exchanged messages over TCP never ended,
/// in C. (pmodels/mpich pull request 6596 took the barrier away.) When all ranks have met before, nothing is
/// left to say to anybody but the launcher: one line of PMI-1, which hydra and Slurm's `pmi2` both speak.
/// Without that line hydra would take the rank for lost, and kill the others.
public final class PmiFinalization {
    private static final String FINALIZE = "cmd=finalize\n";
    private static final int ANSWER_BYTES = 1024;

    private final int descriptor;

    private PmiFinalization(int descriptor) {
        this.descriptor = descriptor;
    }

    /// For this process; null where `MPI_Finalize` is to be trusted.
    public static @Nullable PmiFinalization of(Library library) {
        int descriptor = RankEnvironment.pmiDescriptor();
        boolean hangs = library.version().matches("MPICH Version: 4\\.[01]\\b.*") && library.has("ucp_disconnect_nb");
        return hangs && descriptor >= 0 ? new PmiFinalization(descriptor) : null;
    }

    /// Says that this rank has ended well, and waits for the answer; false if the launcher is not there.
    public boolean say() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment line = arena.allocateFrom(FINALIZE, StandardCharsets.US_ASCII);
            long bytes = FINALIZE.length();
            return LibC.write(descriptor, line, bytes) == bytes
                    && LibC.read(descriptor, arena.allocate(ANSWER_BYTES), ANSWER_BYTES) > 0;
        }
    }
}
