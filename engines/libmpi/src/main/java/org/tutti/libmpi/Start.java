package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CommunicatorFunctions.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.EnvironmentFunctions.MPI_Init_thread;
import static org.tutti.libmpi.raw.GroupFunctions.MPI_Comm_create_group;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_get_parent;
import static org.tutti.libmpi.raw.ReductionFunctions.MPI_Allreduce;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.boot.LauncherAgreement;
import org.tutti.libmpi.boot.Library;
import org.tutti.libmpi.boot.PmiFinalization;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Creates the engine from a loaded library.
final class Start {
    // MPI 4.1, section 9.1.2: the minimum that a library must support
    private static final int LEAST_TAG_UB = 32767;

    private Start() {}

    static Engine open(RankEnvironment environment, Library library) {
        String before = LauncherAgreement.before(environment, library);
        if (before != null) throw failure(before);
        try (Arena arena = Arena.ofConfined();
                StartWatch watch = new StartWatch(environment, library)) {
            MemorySegment out = arena.allocate(8, 8);
            check(MPI_Init_thread(MemorySegment.NULL, MemorySegment.NULL, MPI_THREAD_MULTIPLE, out));
            int level = out.get(JAVA_INT, 0);
            library.protectSignals();
            check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
            check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
            check(MPI_Comm_rank(MPI_COMM_WORLD, out));
            int rank = out.get(JAVA_INT, 0);
            check(MPI_Comm_size(MPI_COMM_WORLD, out));
            int size = out.get(JAVA_INT, 0);
            String after = LauncherAgreement.after(environment, rank, size, library);
            if (after != null) throw failure(after);
            if (level != MPI_THREAD_MULTIPLE) {
                throw failure(library.version() + " (" + library.file() + ") was built without MPI_THREAD_MULTIPLE,"
                        + " which Tutti needs; use a build with MPI_THREAD_MULTIPLE");
            }
            LibmpiEngine engine =
                    engine(environment, library, ForeignRanks.of(environment, rank, size), size, arena, watch);
            engine.meetParents();
            library.protectSignals(); // the first messages may have loaded transports
            return engine;
        }
    }

    private static LibmpiEngine engine(
            RankEnvironment environment, Library library, ForeignRanks mixed, int size, Arena arena, StartWatch watch) {
        MemorySegment out = arena.allocate(8, 8);
        watch.calls(mixed.isJob() ? "MPI_Comm_create_group of Java's ranks" : "MPI_Comm_dup of the world");
        long javas = mixed.isJob() ? group(mixed.javaRanks(), out, arena) : dup(MPI_COMM_WORLD, out);
        long shadow = mixed.isJob() ? MPI_COMM_NULL : javas;
        check(MPI_Comm_get_parent(out));
        Worlds worlds = new Worlds(ABI.readHandle(out) == MPI_COMM_NULL ? null : RankEnvironment.parent());
        NativeComm world = worlds.describe("WORLD", MPI_COMM_WORLD, shadow, arena);
        NativeComm self = worlds.describe("SELF", MPI_COMM_SELF, dup(MPI_COMM_SELF, out), arena);

        watch.calls("MPI_Comm_split_type of the world");
        check(MPI_Comm_rank(javas, out));
        int rank = out.get(JAVA_INT, 0);
        check(MPI_Comm_size(javas, out));
        NodeRanks machine = NodeRanks.find(javas, rank, out.get(JAVA_INT, 0), worlds.first(), arena);
        check(machine.split(javas, rank, out));
        long node = ABI.readHandle(out);
        check(MPI_Comm_size(node, out));
        // programs in other languages use the cores, too
        int localRanks = Math.max(out.get(JAVA_INT, 0), mixed.isJob() ? environment.localSize() : 0);
        int cores = NodeRanks.cores(node, arena);
        free(node, out);
        boolean crowded = localRanks > cores;
        out.set(JAVA_INT, 0, crowded ? 1 : 0);
        check(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT32_T, MPI_MAX, javas));
        boolean crowdedSomewhere = out.get(JAVA_INT, 0) != 0;
        if (mixed.isJob()) free(javas, out);

        LibraryIdleStrategy waiter = new LibraryIdleStrategy(crowded);
        // ranks of other languages call MPI_Finalize, which waits for the Java ranks, so these must call it,
        // too
        boolean mayFinalizeByPmi = localRanks < size && environment.javaRanks() == null;
        PmiFinalization farewell = mayFinalizeByPmi ? PmiFinalization.of(library) : null;
        Shutdown life = new Shutdown(environment.launcher(), size, world, waiter, farewell);
        life.begin();
        return new LibmpiEngine(
                library,
                machine,
                mixed,
                worlds,
                world,
                self,
                tagUpperBound(arena),
                waiter,
                crowded,
                crowdedSomewhere,
                life);
    }

    /// Creates a communicator of these ranks of the world. Only these ranks call this method.
    private static long group(int[] ranks, MemorySegment out, Arena arena) {
        long group = NativeGroups.including(MPI_COMM_WORLD, ranks, out, arena);
        check(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, out));
        long comm = ABI.readHandle(out);
        NativeGroups.free(group, out);
        check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        return comm;
    }

    private static void free(long comm, MemorySegment out) {
        ABI.writeHandle(out, comm);
        check(MPI_Comm_free(out));
    }

    private static long dup(long comm, MemorySegment out) {
        check(MPI_Comm_dup(comm, out));
        return ABI.readHandle(out);
    }

    private static int tagUpperBound(Arena arena) {
        MemorySegment value = arena.allocate(ADDRESS);
        MemorySegment flag = arena.allocate(JAVA_INT);
        check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag));
        if (flag.get(JAVA_INT, 0) == 0) return LEAST_TAG_UB;
        return value.get(ADDRESS, 0).reinterpret(JAVA_INT.byteSize()).get(JAVA_INT, 0);
    }

    private static void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "init", null);
    }

    private static Fault failure(String text) {
        return Fault.job(PredefinedErrorClass.ERR_OTHER, "init", text, null);
    }
}
