package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_WORLD;
import static org.tutti.libmpi.raw.DeviceFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.DeviceAwareness;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.DeviceMessages;
import org.tutti.spi.type.DeviceLayout;
import org.tutti.spi.type.Layout;

/// Of which devices the library takes memory by address: as the user says, or the info of the world (MPI 4.1,
/// section 11.4.3), or a function of the library that says so. Asked for with the first such memory, since
/// MPICH ends a process that asks before `MPI_Init`.
///
/// Libraries say this of messages; of nonblocking collective calls, accumulates and requests of windows Open MPI
/// says the contrary in its manual. So collective calls go by copies.
final class LibraryDevices implements DeviceMessages {
    private static final int MOST_KINDS_BYTES = 1024;

    /// As `mpi_memory_alloc_kinds` calls them.
    private static final Map<String, String> KINDS = Map.of("cuda", "cuda", "rocm", "hip");

    /// The numbers of MPICH's `MPIX_GPU_SUPPORT_CUDA` and `_HIP`.
    private static final int MPICH_CUDA = 0, MPICH_HIP = 2;

    private static volatile @Nullable Set<String> kinds;

    @Override
    public boolean takes(String deviceKind) {
        return kinds().contains(deviceKind);
    }

    /// Whether this is memory that goes by its address.
    static boolean passes(@Nullable Layout layout) {
        return layout instanceof DeviceLayout there && kinds().contains(there.deviceKind());
    }

    private static Set<String> kinds() {
        Set<String> known = kinds;
        if (known == null) {
            Set<String> set = DeviceAwareness.get();
            kinds = known = set == null ? ask(Library.loaded()) : set;
        }
        return known;
    }

    private static Set<String> ask(Library library) {
        Set<String> found = new HashSet<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(MOST_KINDS_BYTES + 1), out = arena.allocate(8, 8);
            if (info(library, "mpi_memory_alloc_kinds", value, out, arena)) {
                // `system,cuda:device`: a kind alone means every memory of it
                for (String each : value.getString(0).split(",")) {
                    String[] parts = each.strip().split(":");
                    boolean isDevices =
                            parts.length == 1 || Arrays.asList(parts).contains("device");
                    String kind = KINDS.get(parts[0]);
                    if (kind != null && isDevices) found.add(kind);
                }
            }
            if (library.has("MPIX_Query_cuda_support") && MPIX_Query_cuda_support() == 1) found.add("cuda");
            if (library.has("MPIX_Query_rocm_support") && MPIX_Query_rocm_support() == 1) found.add("hip");
            if (library.has("MPIX_GPU_query_support")) {
                if (MPIX_GPU_query_support(MPICH_CUDA, out) == 0 && out.get(JAVA_INT, 0) != 0) found.add("cuda");
                if (MPIX_GPU_query_support(MPICH_HIP, out) == 0 && out.get(JAVA_INT, 0) != 0) found.add("hip");
            }
        }
        return Set.copyOf(found);
    }

    private static boolean info(Library library, String key, MemorySegment value, MemorySegment out, Arena arena) {
        if (!library.has("MPI_Info_get") || MPI_Comm_get_info(MPI_COMM_WORLD, out) != 0) return false;
        long info = ABI.readHandle(out);
        MemorySegment flag = arena.allocate(JAVA_INT);
        int rc = MPI_Info_get(info, arena.allocateFrom(key), MOST_KINDS_BYTES, value, flag);
        MPI_Info_free(out);
        return rc == 0 && flag.get(JAVA_INT, 0) != 0;
    }
}
