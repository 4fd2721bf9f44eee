package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_rank;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_size;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The process number of each rank of a communicator. A rank is in this process's world, in a world spawned
/// from this world, or in the world that has spawned this world.
///
/// The ranks of a job's first world are processes 0, 1, …. The numbers of a spawned world are consecutive,
/// starting at a number drawn by the parents' root.
final class Worlds {
    /// The data passed to spawned processes.
    ///
    /// @param first the number of the first of these processes; numbers are unique among all processes that can
    ///     connect
    /// @param parents the numbers of the parents
    /// @param port the port at which the parents and the spawned processes connect; empty if the only parent is
    ///     the process that has started the spawned processes
    record Invitation(int first, int[] parents, String port) {
        static Invitation of(String text) {
            String[] parts = text.split(" ", 3);
            int[] parents = Arrays.stream(parts[1].split(","))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            return new Invitation(Integer.parseInt(parts[0]), parents, parts[2]);
        }

        String text() {
            return first + " "
                    + Arrays.stream(parents).mapToObj(String::valueOf).collect(Collectors.joining(",")) + " " + port;
        }
    }

    /// The lowest number of a process of a spawned world.
    private static final int SPAWNED = 1 << 24;

    private final @Nullable Invitation invitation;

    /// The number of this world's first process.
    private final int first;

    /// The library's groups that contain processes of other worlds; the newest is first.
    private final List<Met> met = new CopyOnWriteArrayList<>();

    private record Met(long group, int[] processes) {}

    /// @param text the invitation, if this process was spawned, or null
    Worlds(@Nullable String text) {
        invitation = text == null ? null : Invitation.of(text);
        first = invitation == null ? 0 : invitation.first();
    }

    /// Draws the first number of a new world. Two worlds of 1000 ranks overlap with a probability of one in a
    /// million.
    static int newFirst() {
        return ThreadLocalRandom.current().nextInt(SPAWNED, Integer.MAX_VALUE - SPAWNED);
    }

    /// Returns the invitation of this world; null in a world that was not spawned.
    @Nullable
    Invitation invitation() {
        return invitation;
    }

    int first() {
        return first;
    }

    /// Records the processes of `comm`, which consists of parents followed by the spawned world.
    void meet(long comm, Invitation text, Arena arena) {
        int size = size(comm, arena), parents = text.parents().length;
        int[] processes = new int[size];
        System.arraycopy(text.parents(), 0, processes, 0, parents);
        for (int r = parents; r < size; r++) processes[r] = text.first() + r - parents;
        met.addFirst(new Met(NativeGroups.of(comm, arena.allocate(8, 8)), processes));
    }

    /// Returns the [NativeComm] for a communicator of the library.
    NativeComm describe(String name, long handle, long shadow, Arena arena) {
        MemorySegment out = arena.allocate(JAVA_INT);
        check(MPI_Comm_rank(handle, out));
        int rank = out.get(JAVA_INT, 0);
        int size = size(handle, arena);
        int[] worldRanks = NativeGroups.worldRanks(handle, size, arena), processes = new int[size];
        for (int r = 0; r < size; r++) {
            worldRanks[r] = Math.max(-1, worldRanks[r]); // the library's value for ranks of other worlds
            processes[r] = worldRanks[r] < 0 ? -1 : first + worldRanks[r];
        }
        for (Met other : met) {
            if (isKnown(processes)) break;
            int[] there = NativeGroups.ranksIn(other.group, handle, size, arena);
            for (int r = 0; r < size; r++)
                if (processes[r] < 0 && there[r] >= 0) processes[r] = other.processes[there[r]];
        }
        return new NativeComm(rank, size, name, handle, shadow, worldRanks, processes);
    }

    private static boolean isKnown(int[] processes) {
        for (int p : processes) if (p < 0) return false;
        return true;
    }

    private static int size(long comm, Arena arena) {
        MemorySegment out = arena.allocate(JAVA_INT);
        check(MPI_Comm_size(comm, out));
        return out.get(JAVA_INT, 0);
    }

    private static void check(int rc) {
        if (rc != 0) throw Errors.of(rc, "describe", null);
    }
}
