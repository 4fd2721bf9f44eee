package org.tutti.libmpi.boot;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;

/// Finalization of a rank for which `MPI_Finalize` may hang: this class sends the launcher the message that the
/// library would have sent.
///
/// MPICH before 4.2 over UCX closes connections in `MPI_Finalize` and then waits in the launcher's barrier
/// without making progress. With ranks on several hosts, some ranks wait there while other ranks still need the
/// peers to close connections: with Debian 12's 4.0.2, half of the C programs with messages over TCP never
/// ended. (pmodels/mpich pull request 6596 removed the barrier.) After a barrier of all ranks, only the
/// launcher needs a message: one line of PMI-1, which hydra and Slurm's `pmi2` understand. Without this line,
/// hydra would consider the rank lost and kill the other ranks.
public final class PmiFinalization {
    private static final String FINALIZE = "cmd=finalize\n";
    private static final int ANSWER_BYTES = 1024;

    private final int descriptor;

    private PmiFinalization(int descriptor) {
        this.descriptor = descriptor;
    }

    /// Returns the finalization for this process; null if `MPI_Finalize` is safe, or without a PMI-1 launcher.
    public static @Nullable PmiFinalization of(Library library) {
        int descriptor = RankEnvironment.pmiDescriptor();
        boolean hangs = library.version().matches("MPICH Version: 4\\.[01]\\b.*") && library.has("ucp_disconnect_nb");
        return hangs && descriptor >= 0 ? new PmiFinalization(descriptor) : null;
    }

    /// Reports a successful end and waits for the answer. Returns false if the launcher does not respond.
    public boolean report() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment line = arena.allocateFrom(FINALIZE, StandardCharsets.US_ASCII);
            long bytes = FINALIZE.length();
            return LibC.write(descriptor, line, bytes) == bytes
                    && LibC.read(descriptor, arena.allocate(ANSWER_BYTES), ANSWER_BYTES) > 0;
        }
    }
}
