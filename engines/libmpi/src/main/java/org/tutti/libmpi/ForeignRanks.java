package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_size;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// A job in which some ranks are programs of other languages, with MPI bindings of their own: mpi4py's.
///
/// They know nothing of what this engine does beside the calls that its user makes. So on a communicator with
/// such ranks each call of the user is one call of the library, the one that they make for the same name,
/// and what takes more is refused: objects. Communicators of Java's ranks alone have everything.
final class ForeignRanks {
    /// Of the world; null if all are Java's.
    private final @Nullable SortedSet<Integer> javas;

    private ForeignRanks(@Nullable SortedSet<Integer> javas) {
        this.javas = javas;
    }

    /// By what the environment says of a world in which this is rank `rank` of `size`.
    static ForeignRanks of(RankEnvironment environment, int rank, int size) {
        SortedSet<Integer> javas = environment.javaRanks();
        if (javas == null) return new ForeignRanks(null);
        if (javas.last() >= size) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    RankEnvironment.JAVA_RANKS + " has rank " + javas.last() + ", but the world has ranks 0 to "
                            + (size - 1),
                    null);
        }
        if (!javas.contains(rank)) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    RankEnvironment.JAVA_RANKS + " does not have rank " + rank
                            + ", which this Java program is; it must list" + " the ranks of all of them",
                    null);
        }
        return new ForeignRanks(javas.size() == size ? null : javas);
    }

    boolean isJob() {
        return javas != null;
    }

    /// Java's ranks of a mixed job.
    int[] javaRanks() {
        if (javas == null) throw new IllegalStateException("all ranks are Java's");
        return javas.stream().mapToInt(Integer::intValue).toArray();
    }

    /// Whether a communicator has ranks that are no Java programs.
    boolean isMixed(long comm, Arena arena) {
        if (javas == null) return false;
        MemorySegment out = arena.allocate(JAVA_INT);
        int rc = MPI_Comm_size(comm, out);
        if (rc != 0) throw Errors.of(rc, "size", null);
        int size = out.get(JAVA_INT, 0);
        for (int rank : NativeGroups.worldRanks(comm, size, arena)) if (!javas.contains(rank)) return true;
        return false;
    }

    /// What a call throws that other programs could not answer.
    static Fault refuse(Activity activity, String what) {
        return refuse(activity.operation, activity.port(), what);
    }

    static Fault refuse(String operation, CommPort comm, String what) {
        return Fault.argument(
                PredefinedErrorClass.ERR_COMM,
                operation,
                "the communicator has ranks that are no Java programs (" + RankEnvironment.JAVA_RANKS + "), and " + what
                        + " are for Java programs alone; make a communicator of those, by split or createGroup, or"
                        + " use typed buffers",
                comm);
    }
}
