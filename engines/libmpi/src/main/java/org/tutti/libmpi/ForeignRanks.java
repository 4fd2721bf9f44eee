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

/// A mixed job: some ranks are programs of other languages with separate MPI bindings, such as mpi4py.
///
/// These ranks execute only the library calls that the user wrote. On a communicator with such ranks, each call
/// of the user is therefore exactly one call of the library: the same call that the programs in other languages
/// make. Operations that need further calls are refused, for example messages with objects, windows, and
/// collective calls that Tutti executes as messages. Communicators of only Java ranks have all features.
final class ForeignRanks {
    /// The ranks of the world that are Java programs; null if all ranks are.
    private final @Nullable SortedSet<Integer> javas;

    private ForeignRanks(@Nullable SortedSet<Integer> javas) {
        this.javas = javas;
    }

    /// Reads the environment of a world in which this is rank `rank` of `size`.
    static ForeignRanks of(RankEnvironment environment, int rank, int size) {
        SortedSet<Integer> javas = environment.javaRanks();
        if (javas == null) return new ForeignRanks(null);
        if (javas.last() >= size) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    RankEnvironment.JAVA_RANKS + " lists rank " + javas.last() + ", but the world has ranks 0 to "
                            + (size - 1),
                    null);
        }
        if (!javas.contains(rank)) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_OTHER,
                    "init",
                    RankEnvironment.JAVA_RANKS + " does not list rank " + rank
                            + ", which is this Java program; list the ranks of all Java programs",
                    null);
        }
        return new ForeignRanks(javas.size() == size ? null : javas);
    }

    boolean isJob() {
        return javas != null;
    }

    /// Returns the Java ranks of a mixed job.
    int[] javaRanks() {
        if (javas == null) throw new IllegalStateException("all ranks are Java's");
        return javas.stream().mapToInt(Integer::intValue).toArray();
    }

    /// Returns whether a communicator has ranks that are not Java programs.
    boolean isMixed(long comm, Arena arena) {
        if (javas == null) return false;
        MemorySegment out = arena.allocate(JAVA_INT);
        int rc = MPI_Comm_size(comm, out);
        if (rc != 0) throw Errors.of(rc, "size", null);
        int size = out.get(JAVA_INT, 0);
        for (int rank : NativeGroups.worldRanks(comm, size, arena)) if (!javas.contains(rank)) return true;
        return false;
    }

    /// Returns the fault for an operation in which programs in other languages cannot take part.
    static Fault refuse(Activity activity, String feature) {
        return refuse(activity.operation, activity.port(), feature);
    }

    static Fault refuse(String operation, CommPort comm, String feature) {
        return Fault.argument(
                PredefinedErrorClass.ERR_COMM,
                operation,
                "the communicator has ranks that are not Java programs (" + RankEnvironment.JAVA_RANKS + "), and "
                        + feature
                        + " require Java programs; create a communicator of the Java ranks with split or createGroup,"
                        + " or use typed buffers",
                comm);
    }
}
