package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_free;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_set_errhandler;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_NULL;
import static org.tutti.libmpi.raw.Constants.MPI_ERRORS_RETURN;
import static org.tutti.libmpi.raw.Constants.MPI_INFO_NULL;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_get_parent;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_spawn_multiple;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Intercomm_merge;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.job.RankEnvironment;
import org.tutti.libmpi.Worlds.Invitation;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.PredefinedErrorClass;

/// The library starts the processes; its intercommunicator is merged at once into a communicator of both groups,
/// which is what an intercommunicator is here.
final class NativeSpawning implements LibrarySpawning {
    /// Begins the identity of intercommunicators with a world that was spawned.
    private static final long SPAWNED = 0x535057L << 32;

    /// `MPI_ERRCODES_IGNORE`, in every ABI. Open MPI fills in codes also on ranks that do not know how many there
    /// are.
    private static final MemorySegment IGNORED = MemorySegment.NULL;

    private final Library library;
    private final NativeCommunicators communicators;
    private final NativeCommunicators.Calls calls;
    private final Worlds worlds;
    private @Nullable CommPort parent;

    NativeSpawning(Library library, NativeCommunicators communicators, NativeCommunicators.Calls calls, Worlds worlds) {
        this.library = library;
        this.communicators = communicators;
        this.calls = calls;
        this.worlds = worlds;
    }

    /// By a world that was spawned: collective over it and its parents.
    void meetParents(NativeComm world) {
        Invitation told = worlds.invitation();
        if (told == null) return;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(MPI_Comm_get_parent(out), "init", world);
            parent = merged("init", world, ABI.readHandle(out), told, true);
        }
    }

    @Override
    public Map<String, String> invite(CommPort parents) {
        int[] processes = new int[parents.size()];
        for (int r = 0; r < processes.length; r++) processes[r] = parents.process(r);
        return Map.of(
                RankEnvironment.ENGINE,
                RankEnvironment.NATIVE,
                RankEnvironment.LIBMPI,
                library.file(),
                RankEnvironment.PARENT,
                new Invitation(Worlds.newFirst(), processes).text());
    }

    @Override
    public CommPort spawn(CommPort parents, int root, String invitation, @Nullable List<Command> commands) {
        NativeComm from = (NativeComm) parents;
        calls.throwPoison();
        try (Arena arena = Arena.ofShared()) {
            List<Command> those = commands == null ? List.of() : commands;
            int count = those.size();
            MemorySegment programs = arena.allocate(ADDRESS, Math.max(1, count));
            MemorySegment arguments = arena.allocate(ADDRESS, Math.max(1, count));
            MemorySegment sizes = arena.allocate(JAVA_INT, Math.max(1, count));
            MemorySegment infos = arena.allocate(8L * Math.max(1, count), 8);
            for (int i = 0; i < count; i++) {
                Command command = those.get(i);
                programs.setAtIndex(
                        ADDRESS, i, arena.allocateFrom(command.line().getFirst()));
                arguments.setAtIndex(
                        ADDRESS,
                        i,
                        strings(command.line().subList(1, command.line().size()), arena));
                sizes.setAtIndex(JAVA_INT, i, command.processes());
                ABI.writeHandle(infos.asSlice(i * ABI.handle().byteSize()), MPI_INFO_NULL);
            }
            MemorySegment out = arena.allocate(8, 8);
            ABI.writeHandle(out, MPI_COMM_NULL);
            int rc = calls.anywhere(() ->
                    MPI_Comm_spawn_multiple(count, programs, arguments, sizes, infos, root, from.shadow, out, IGNORED));
            long between = ABI.readHandle(out);
            if (rc != 0 || between == MPI_COMM_NULL) throw cannot(rc, from);
            return merged("spawn", from, between, Invitation.of(invitation), false);
        }
    }

    /// As C passes them.
    private static MemorySegment strings(List<String> values, Arena arena) {
        MemorySegment made = arena.allocate(ADDRESS, values.size() + 1L);
        for (int i = 0; i < values.size(); i++) made.setAtIndex(ADDRESS, i, arena.allocateFrom(values.get(i)));
        return made;
    }

    /// Without the stack of calls that MPICH tells first.
    private static String lastWords(String text) {
        return text.substring(text.lastIndexOf("; ") < 0 ? 0 : text.lastIndexOf("; ") + 2);
    }

    private Fault cannot(int rc, NativeComm from) {
        String why = rc == 0 ? "it made no communicator" : lastWords(Errors.text(rc));
        String text =
                library.version() + " could not start them: " + why + "; Open MPI does under its mpirun, as long as"
                        + " there are slots (--oversubscribe), and MPICH from 4.3 on; over shared memory (--engine shm) it"
                        + " always works";
        return Fault.argument(PredefinedErrorClass.ERR_SPAWN, "spawn", text, from);
    }

    /// Of both groups, those of the parents first. Collective over both.
    private CommPort merged(String operation, NativeComm own, long between, Invitation told, boolean isSpawned) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN), operation, own);
            calls.check(calls.anywhere(() -> MPI_Intercomm_merge(between, isSpawned ? 1 : 0, out)), operation, own);
            long all = ABI.readHandle(out);
            ABI.writeHandle(out, between);
            calls.check(calls.anywhere(() -> MPI_Comm_free(out)), operation, own);
            NativeComm both = communicators.ofSeveralWorlds(operation, own, all, told);
            both.twoGroups(told.parents().length);
            both.identify(SPAWNED | told.first());
            return both;
        }
    }

    @Override
    public @Nullable CommPort parent() {
        return parent;
    }
}
