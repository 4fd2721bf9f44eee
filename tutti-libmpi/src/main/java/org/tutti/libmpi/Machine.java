package org.tutti.libmpi;

import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.Reductions.MPI_Allreduce;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tutti.mpi.bootstrap.Host;

/// How many cores the ranks of this machine have between them.
///
/// A launcher may bind each rank to cores of its own (Open MPI does, up to two ranks); then the JVM counts
/// one, and only the ranks together know all.
final class Machine {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed:";
    private static final int MASK_BYTES = 256;

    private Machine() {}

    /// Collective over `node`, a communicator of the ranks of this machine.
    static int cores(long node, Arena arena) {
        int told = Host.coresTold(); // it also told our JVM to see less than there is
        if (told > 0) return told;
        int visible = Runtime.getRuntime().availableProcessors();
        BigInteger mine = mask();
        MemorySegment mask = arena.allocate(MASK_BYTES);
        byte[] bytes = mine.toByteArray();
        for (int i = 0; i < Math.min(bytes.length, MASK_BYTES); i++) {
            mask.set(ValueLayout.JAVA_BYTE, i, bytes[bytes.length - 1 - i]);
        }
        int rc = MPI_Allreduce(MPI_IN_PLACE, mask, MASK_BYTES, MPI_UINT8_T, MPI_BOR, node);
        if (rc != 0) throw Errors.of(rc, "init", null);
        int together = 0;
        for (int i = 0; i < MASK_BYTES; i++) together += Integer.bitCount(mask.get(ValueLayout.JAVA_BYTE, i) & 0xff);
        // fewer than the mask allows: a container's quota, which all its ranks share
        boolean quota = visible < mine.bitCount();
        return quota || together == 0 ? visible : together;
    }

    /// The cores this process may run on; nothing where there is no /proc.
    private static BigInteger mask() {
        if (!Files.isReadable(STATUS)) return BigInteger.ZERO;
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (!line.startsWith(ALLOWED)) continue;
                return new BigInteger(line.substring(ALLOWED.length()).strip().replace(",", ""), 16);
            }
        } catch (IOException | NumberFormatException e) {
            // as if there were no /proc
        }
        return BigInteger.ZERO;
    }
}
