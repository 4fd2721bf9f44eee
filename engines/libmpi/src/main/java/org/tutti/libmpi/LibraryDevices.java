package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_WORLD;
import static org.tutti.libmpi.raw.DeviceFunctions.*;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.DeviceAwareness;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.DeviceMessages;
import org.tutti.spi.type.DeviceLayout;
import org.tutti.spi.type.Layout;

/// The kinds of device memory that the library accepts by address. These kinds are stated by the user, by the
/// info of the world (MPI 4.1, section 11.4.3), or by a query function of the library. The library is queried
/// at the first use of such memory, not earlier, because MPICH ends a process that queries before `MPI_Init`.
///
/// Even if the library accepts a kind, Tutti relies on this only for point-to-point messages, because Open MPI's
/// manual excludes nonblocking collective calls, accumulates, and one-sided calls that return requests.
/// Collective calls of Tutti therefore use copies.
final class LibraryDevices implements DeviceMessages {
    private static final int MOST_KINDS_BYTES = 1024;

    /// `int f(int which, int *supported)`, of the MPICH family.
    private static final String BY_NUMBER = "MPIX_GPU_query_support";

    /// The queries for one kind of device.
    ///
    /// @param memoryKind the name in `mpi_memory_alloc_kinds` (MPI 4.1, section 11.4.3)
    /// @param function the function of Open MPI, `int f(void)`, which returns 1 for yes
    /// @param number the argument of [#BY_NUMBER]
    private record Question(String memoryKind, String function, int number) {}

    private static final Map<String, Question> QUESTIONS = Map.of(
            "cuda", new Question("cuda", "MPIX_Query_cuda_support", 0),
            "hip", new Question("rocm", "MPIX_Query_rocm_support", 2));

    /// Whether the library accepts the memory of a kind of device; the key is the kind.
    private static final Map<String, Boolean> KNOWN = new ConcurrentHashMap<>();

    @Override
    public boolean takes(DeviceLayout memory) {
        Boolean known = KNOWN.get(memory.deviceKind());
        if (known == null) {
            Set<String> set = DeviceAwareness.get();
            known = set == null ? ask(Library.loaded(), memory) : set.contains(memory.deviceKind());
            KNOWN.put(memory.deviceKind(), known);
        }
        return known;
    }

    private static final LibraryDevices ALL = new LibraryDevices();

    /// Returns whether this memory is passed by address.
    static boolean passes(@Nullable Layout layout) {
        return layout instanceof DeviceLayout there && ALL.takes(there);
    }

    private static boolean ask(Library library, DeviceLayout memory) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(MOST_KINDS_BYTES + 1), out = arena.allocate(8, 8);
            Question question = QUESTIONS.get(memory.deviceKind());
            if (question == null) return false;
            if (info(library, "mpi_memory_alloc_kinds", value, out, arena)) {
                // `system,cuda:device`: a kind without a suffix means all memory of this kind
                for (String each : value.getString(0).split(",")) {
                    List<String> parts = Arrays.asList(each.strip().split(":"));
                    if (parts.getFirst().equals(question.memoryKind) && (parts.size() == 1 || parts.contains("device")))
                        return true;
                }
            }
            return ask(library, question.function) == 1 || ask(library, question.number, out);
        }
    }

    /// Returns the result of a nonstandard function; 0 if the library does not have it.
    private static int ask(Library library, String function) {
        MethodHandle asked = bound(library, function);
        if (asked == null) return 0;
        try {
            return (int) asked.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException(function, e);
        }
    }

    private static boolean ask(Library library, int number, MemorySegment out) {
        MethodHandle asked = bound(library, BY_NUMBER, JAVA_INT, ADDRESS);
        if (asked == null) return false;
        try {
            return (int) asked.invokeExact(number, out) == 0 && out.get(JAVA_INT, 0) != 0;
        } catch (Throwable e) {
            throw new IllegalStateException(BY_NUMBER, e);
        }
    }

    private static @Nullable MethodHandle bound(Library library, String function, MemoryLayout... arguments) {
        return library.symbols()
                .find(function)
                .map(address ->
                        Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(JAVA_INT, arguments)))
                .orElse(null);
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
