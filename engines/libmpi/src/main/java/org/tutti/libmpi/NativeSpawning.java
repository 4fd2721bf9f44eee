package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_free;
import static org.tutti.libmpi.raw.CommunicatorFunctions.MPI_Comm_set_errhandler;
import static org.tutti.libmpi.raw.Constants.ABI;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_NULL;
import static org.tutti.libmpi.raw.Constants.MPI_COMM_SELF;
import static org.tutti.libmpi.raw.Constants.MPI_ERRORS_RETURN;
import static org.tutti.libmpi.raw.Constants.MPI_INFO_NULL;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Close_port;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_accept;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_connect;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_get_parent;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Comm_spawn_multiple;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Intercomm_merge;
import static org.tutti.libmpi.raw.ProcessFunctions.MPI_Open_port;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.Worlds.Invitation;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.LibrarySpawning;
import org.tutti.spi.PredefinedErrorClass;

/// Spawning through the library. The library's intercommunicator is merged immediately into a communicator of
/// the two groups; in this engine, such a communicator represents the intercommunicator.
final class NativeSpawning implements LibrarySpawning {
    /// The upper half of the identity of an intercommunicator with a spawned world.
    private static final long SPAWNED = 0x535057L << 32;

    /// An upper bound, in bytes, of every library's `MPI_MAX_PORT_NAME`.
    private static final int PORT_BYTES = 4096;

    /// `MPI_ERRCODES_IGNORE`, in every ABI.
    private static final MemorySegment IGNORED = MemorySegment.NULL;

    private final Library library;
    private final NativeCommunicators communicators;
    private final NativeCommunicators.Calls calls;
    private final Worlds worlds;
    private @Nullable CommPort parent;

    /// The number of processes of this world, of the parents, and of the processes started by this process,
    /// including terminated ones.
    private final AtomicInteger known = new AtomicInteger();

    /// Whether the library is Open MPI 4 and has refused to spawn. The next spawn call would not return.
    private volatile boolean hasRefused;

    /// The library's intercommunicators with the processes that this process has started; the key is the
    /// invitation.
    private final Map<String, Long> started = new ConcurrentHashMap<>();

    NativeSpawning(Library library, NativeCommunicators communicators, NativeCommunicators.Calls calls, Worlds worlds) {
        this.library = library;
        this.communicators = communicators;
        this.calls = calls;
        this.worlds = worlds;
    }

    /// Connects a spawned world with the parents. Collective over the spawned world and the parents.
    void meetParents(NativeComm world) {
        Invitation invited = worlds.invitation();
        known.addAndGet(world.size());
        if (invited == null) return;
        known.addAndGet(invited.parents().length);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(MPI_Comm_get_parent(out), "init", world);
            long toRoot = ABI.readHandle(out);
            parent = merged(
                    "init",
                    world,
                    toRoot,
                    invited,
                    true,
                    () -> MPI_Comm_connect(arena.allocateFrom(invited.port()), MPI_INFO_NULL, 0, world.shadow, out),
                    out);
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
                new Invitation(Worlds.newFirst(), processes, processes.length == 1 ? "" : openPort()).text());
    }

    @Override
    public int room() {
        OptionalInt slots = RankEnvironment.openMpiSlots();
        return slots.isPresent() ? Math.max(0, slots.getAsInt() - known.get()) : Integer.MAX_VALUE;
    }

    @Override
    public void start(String invitation, List<Command> commands) {
        calls.throwPoison();
        if (hasRefused) {
            closePort(Invitation.of(invitation).port());
            String text =
                    library.version() + " has already refused to start processes for this rank, and would not return"
                            + " from a second call; restart the job with --oversubscribe or fewer processes";
            throw Fault.argument(PredefinedErrorClass.ERR_SPAWN, "spawn", text, null);
        }
        try (Arena arena = Arena.ofShared()) {
            int count = commands.size();
            MemorySegment programs = arena.allocate(ADDRESS, count), arguments = arena.allocate(ADDRESS, count);
            MemorySegment sizes = arena.allocate(JAVA_INT, count), infos = arena.allocate(8L * count, 8);
            for (int i = 0; i < count; i++) {
                List<String> line = commands.get(i).line();
                programs.setAtIndex(ADDRESS, i, arena.allocateFrom(line.getFirst()));
                arguments.setAtIndex(ADDRESS, i, strings(line.subList(1, line.size()), arena));
                sizes.setAtIndex(JAVA_INT, i, commands.get(i).processes());
                ABI.writeHandle(infos.asSlice(i * ABI.handle().byteSize()), MPI_INFO_NULL);
            }
            MemorySegment out = arena.allocate(8, 8);
            ABI.writeHandle(out, MPI_COMM_NULL);
            int rc = calls.anywhere(() ->
                    MPI_Comm_spawn_multiple(count, programs, arguments, sizes, infos, 0, MPI_COMM_SELF, out, IGNORED));
            long between = ABI.readHandle(out);
            if (rc != 0 || between == MPI_COMM_NULL) {
                closePort(Invitation.of(invitation).port());
                hasRefused = library.version().startsWith("Open MPI v4.");
                throw cannot(rc);
            }
            started.put(invitation, between);
            for (Command command : commands) known.addAndGet(command.processes());
        }
    }

    @Override
    public CommPort meet(CommPort parents, int root, String invitation) {
        NativeComm from = (NativeComm) parents;
        Long between = started.remove(invitation);
        try (Arena arena = Arena.ofShared()) {
            Invitation invited = Invitation.of(invitation);
            MemorySegment out = arena.allocate(8, 8), port = arena.allocateFrom(invited.port());
            long toThem = between == null ? MPI_COMM_NULL : between;
            CommPort both = merged(
                    "spawn",
                    from,
                    toThem,
                    invited,
                    false,
                    () -> MPI_Comm_accept(port, MPI_INFO_NULL, root, from.shadow, out),
                    out);
            if (between != null) closePort(invited.port());
            return both;
        }
    }

    private String openPort() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment name = arena.allocate(PORT_BYTES);
            int rc = calls.anywhere(() -> MPI_Open_port(MPI_INFO_NULL, name));
            if (rc != 0) throw cannot(rc);
            return name.getString(0);
        }
    }

    private void closePort(String port) {
        if (port.isEmpty()) return;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment name = arena.allocateFrom(port);
            calls.anywhere(() -> MPI_Close_port(name)); // the port is no longer needed
        }
    }

    /// Converts the strings to a C array.
    private static MemorySegment strings(List<String> values, Arena arena) {
        MemorySegment made = arena.allocate(ADDRESS, values.size() + 1L);
        for (int i = 0; i < values.size(); i++) made.setAtIndex(ADDRESS, i, arena.allocateFrom(values.get(i)));
        return made;
    }

    /// Removes MPICH's call stack, which precedes the message.
    private static String withoutCallStack(String text) {
        return text.substring(text.lastIndexOf("; ") < 0 ? 0 : text.lastIndexOf("; ") + 2);
    }

    /// Returns the fault of a failed spawn. The root distributes it to the other ranks.
    private Fault cannot(int rc) {
        String why = rc == 0 ? "it returned no communicator" : withoutCallStack(Errors.text(rc));
        String text = library.version() + " could not start them: " + why + "; Open MPI can under mpirun, as long as"
                + " there are slots (--oversubscribe), and MPICH over UCX from 4.3 on, while older ones"
                + " cannot; on one machine --engine shm can";
        return Fault.argument(PredefinedErrorClass.ERR_SPAWN, "spawn", text, null);
    }

    /// Returns the communicator of the two groups, parents first. Collective over all of these processes.
    ///
    /// @param toRoot the library's intercommunicator between the root and the processes that it started;
    ///     `MPI_COMM_NULL` on other ranks
    /// @param meet creates an intercommunicator of all parents and the started processes, if a port is used
    private CommPort merged(
            String operation,
            NativeComm own,
            long toRoot,
            Invitation invited,
            boolean isSpawned,
            IntSupplier meet,
            MemorySegment out) {
        long between = toRoot;
        if (!invited.port().isEmpty()) {
            calls.check(calls.anywhere(meet), operation, own);
            between = ABI.readHandle(out);
            if (toRoot != MPI_COMM_NULL) free(operation, own, toRoot, out);
        }
        NativeComm both =
                communicators.ofSeveralWorlds(operation, own, oneOf(operation, own, between, isSpawned, out), invited);
        both.twoGroups(invited.parents().length);
        both.identify(SPAWNED | invited.first());
        return both;
    }

    /// Merges the two groups of `inter` into one communicator, and frees `inter`.
    private long oneOf(String operation, NativeComm own, long inter, boolean isLast, MemorySegment out) {
        calls.check(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN), operation, own);
        calls.check(calls.anywhere(() -> MPI_Intercomm_merge(inter, isLast ? 1 : 0, out)), operation, own);
        long one = ABI.readHandle(out);
        free(operation, own, inter, out);
        return one;
    }

    private void free(String operation, NativeComm own, long comm, MemorySegment out) {
        ABI.writeHandle(out, comm);
        calls.check(calls.anywhere(() -> MPI_Comm_free(out)), operation, own);
    }

    @Override
    public @Nullable CommPort parent() {
        return parent;
    }
}
