package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.CollectiveFunctions.MPI_Allgather;
import static org.tutti.libmpi.raw.CommunicatorFunctions.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.ReductionFunctions.MPI_Allreduce;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.tutti.job.environment.Host;

/// The ranks on this machine, and the number of cores that these ranks can use together.
///
/// The ranks are usually known to the library. However, MPICH 5 over UCX does not use shared memory and puts
/// every rank into a separate group (mpich #7705); with one release of PMIx, Open MPI did the same (ompi
/// #11585). If the library reports no ranks of the world on the same machine, but the system does, the system's
/// information is used.
///
/// Only all ranks together can determine the number of cores: a launcher may bind each rank to separate cores
/// (Open MPI does so for up to two ranks), and each JVM then counts one core.
final class NodeRanks {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String ALLOWED = "Cpus_allowed:";
    private static final int MASK_BYTES = 256;

    private final int process;

    /// The process number of this world's first rank on this machine.
    private final int number;

    private final boolean usesLibrary;
    private final int[] together;

    private NodeRanks(int process, int number, boolean usesLibrary, int[] together) {
        this.process = process;
        this.number = number;
        this.usesLibrary = usesLibrary;
        this.together = together;
    }

    /// Determines the ranks on this machine. Collective over `comm`, a communicator of all Java ranks of this
    /// world, in which this rank is rank `rank` of `size`.
    ///
    /// @param first the process number of the world's first rank
    static NodeRanks find(long comm, int rank, int size, int first, Arena arena) {
        MemorySegment mine = arena.allocateFrom(JAVA_LONG, identity());
        MemorySegment all = arena.allocate(JAVA_LONG, size);
        check(MPI_Allgather(mine, 1, MPI_INT64_T, all, 1, MPI_INT64_T, comm));
        int[] together = IntStream.range(0, size)
                .filter(r -> all.getAtIndex(JAVA_LONG, r) == mine.get(JAVA_LONG, 0))
                .toArray();
        MemorySegment out = arena.allocate(8, 8);
        check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, out));
        MemorySegment most = arena.allocateFrom(JAVA_INT, sizeAndFree(out, arena), together.length);
        check(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT32_T, MPI_MAX, comm));
        boolean apart = most.getAtIndex(JAVA_INT, 0) == 1 && most.getAtIndex(JAVA_INT, 1) > 1;
        return new NodeRanks(first + rank, first + together[0], !apart, together);
    }

    /// Returns all ranks on this machine, including this one.
    int[] together() {
        return together.clone();
    }

    /// Returns a value equal on ranks that can share memory through the library, and different on all
    /// other ranks. In Open MPI, ranks of two worlds cannot share memory, even on the same machine.
    int shared() {
        return usesLibrary ? number : -1 - process;
    }

    /// Returns a value equal on all processes of a machine, and different on other machines.
    private static long identity() {
        String boot = "";
        try {
            boot = Files.readString(BOOT);
        } catch (IOException e) {
            // systems other than Linux do not have this file: only the host name is used
        }
        long hash = 0xcbf29ce484222325L; // FNV-1a
        for (char c : (Host.name() + ' ' + boot).toCharArray()) hash = (hash ^ c) * 0x100000001b3L;
        return hash;
    }

    private static int sizeAndFree(MemorySegment at, Arena arena) {
        MemorySegment size = arena.allocate(JAVA_INT);
        check(MPI_Comm_size(ABI.readHandle(at), size));
        check(MPI_Comm_free(at));
        return size.get(JAVA_INT, 0);
    }

    /// Executes `MPI_Comm_split_type` for ranks on one machine, or an equivalent `MPI_Comm_split` if the
    /// library does not know these ranks. Collective over `comm`. On a mixed communicator, this is exactly one
    /// call of that function, because programs in other languages make this call, too. A rank with a negative
    /// color participates and gets no communicator.
    int split(NativeComm comm, int color, int key, MemorySegment out) {
        if (comm.isMixed() || usesLibrary) {
            int type = color < 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED;
            return MPI_Comm_split_type(comm.handle, type, key, MPI_INFO_NULL, out);
        }
        return MPI_Comm_split(comm.handle, color < 0 ? MPI_UNDEFINED : number, key, out);
    }

    /// Like [#split(NativeComm, int, int, MemorySegment)], for a communicator of Java ranks, all of which take
    /// part.
    int split(long comm, int key, MemorySegment out) {
        return usesLibrary
                ? MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, out)
                : MPI_Comm_split(comm, number, key, out);
    }

    /// Returns the number of cores that the ranks on this machine can use together. Collective over `node`, a
    /// communicator of these ranks.
    static int cores(long node, Arena arena) {
        int reported = Host.launcherCores(); // the launcher has also limited the JVM's view
        if (reported > 0) return reported;
        int visible = Runtime.getRuntime().availableProcessors();
        BigInteger mine = mask();
        MemorySegment mask = arena.allocate(MASK_BYTES);
        byte[] bytes = mine.toByteArray();
        for (int i = 0; i < Math.min(bytes.length, MASK_BYTES); i++) {
            mask.set(ValueLayout.JAVA_BYTE, i, bytes[bytes.length - 1 - i]);
        }
        check(MPI_Allreduce(MPI_IN_PLACE, mask, MASK_BYTES, MPI_UINT8_T, MPI_BOR, node));
        int together = 0;
        for (int i = 0; i < MASK_BYTES; i++) together += Integer.bitCount(mask.get(ValueLayout.JAVA_BYTE, i) & 0xff);
        // if the JVM sees fewer cores than the mask allows, a container has a quota, which all ranks of the
        // machine share
        boolean quota = visible < mine.bitCount();
        return quota || together == 0 ? visible : together;
    }

    /// Returns the cores that this process may use; an empty set if there is no /proc.
    private static BigInteger mask() {
        if (!Files.isReadable(STATUS)) return BigInteger.ZERO;
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (!line.startsWith(ALLOWED)) continue;
                return new BigInteger(line.substring(ALLOWED.length()).strip().replace(",", ""), 16);
            }
        } catch (IOException | NumberFormatException e) {
            // the same result as without /proc
        }
        return BigInteger.ZERO;
    }

    private static void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "init", null);
    }
}
