package org.tutti.libmpi;

import static org.tutti.libmpi.raw.CollectiveFunctions.MPI_Barrier;
import static org.tutti.libmpi.raw.CommunicatorFunctions.*;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.DuplicateFunctions.MPI_Comm_idup;
import static org.tutti.libmpi.raw.GroupFunctions.MPI_Comm_create_group;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Recv;
import static org.tutti.libmpi.raw.PointToPointFunctions.MPI_Send;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.libmpi.Worlds.Invitation;
import org.tutti.libmpi.boot.Library;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Communicators;
import org.tutti.spi.CreationKey;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;

/// Creates and frees communicators, each together with its shadow.
final class NativeCommunicators implements Communicators {
    private static final int HANDLE_BYTES = StepwiseDups.HANDLE_BYTES;

    private final Library library;
    private final NodeRanks machine;
    private final ForeignRanks mixed;
    private final Worlds worlds;
    private final TypedTransfers messages;
    private final NativeComm world;
    private final NativeComm self;
    private final UnreceivedMessages audit;
    private final Calls calls;

    /// Communicators from which groups of processes can be selected: the world, and communicators of several
    /// worlds.
    private final List<NativeComm> over = new CopyOnWriteArrayList<>();

    /// Closed communicators that operations may still use.
    private final Queue<NativeComm> closed = new ConcurrentLinkedQueue<>();

    /// The engine's functions for calling the library.
    interface Calls {
        /// Executes a call that may block, from any thread.
        int anywhere(IntSupplier call);

        /// Starts a stepwise duplication.
        void duplicate(NativeCollective call, MemorySegment handles);

        /// Throws the fault for `rc` if it is an error code.
        void check(int rc, String operation, NativeComm parent);

        /// Throws the failure of the job if the job has failed.
        void throwPoison();

        /// Returns whether the library may still be called.
        boolean isRunning();
    }

    NativeCommunicators(
            Library library,
            NodeRanks machine,
            ForeignRanks mixed,
            Worlds worlds,
            TypedTransfers messages,
            NativeComm world,
            NativeComm self,
            UnreceivedMessages audit,
            Calls calls) {
        this.world = world;
        this.self = self;
        this.audit = audit;
        this.library = library;
        this.machine = machine;
        this.mixed = mixed;
        this.worlds = worlds;
        this.messages = messages;
        this.calls = calls;
        over.add(world);
    }

    @Override
    public CommPort world() {
        return world;
    }

    @Override
    public CommPort self() {
        return self;
    }

    @Override
    public @Nullable CommPort split(CommPort parent, int color, int key) {
        NativeComm from = (NativeComm) parent;
        int nativeColor = color < 0 ? MPI_UNDEFINED : color;
        return derivedByAll("split", from, out -> MPI_Comm_split(from.handle, nativeColor, key, out));
    }

    @Override
    public CommPort dup(String operation, CommPort parent) {
        NativeComm from = (NativeComm) parent;
        return made(operation, from, derivedByAll(operation, from, out -> MPI_Comm_dup(from.handle, out)));
    }

    @Override
    public @Nullable CommPort splitShared(CommPort parent, int color, int key) {
        NativeComm from = (NativeComm) parent;
        return derivedByAll("splitShared", from, out -> machine.split(from, color, key, out));
    }

    /// Returns null on a mixed job, because the machines of programs in other languages are unknown.
    @Override
    public int @Nullable [] ranksOfMachine() {
        return world.isMixed() ? null : machine.together();
    }

    /// Creates a communicator of some ranks of the parent. Open MPI sends internal messages with the user's tag
    /// in the parent's context, where a user's receive with any tag would match such a message. Over Open MPI,
    /// the call therefore uses the parent's shadow, except on a mixed communicator, which has no shadow. MPICH
    /// 4.0 has crashed in this call over the shadow.
    @Override
    public CommPort createGroup(CommPort parent, int[] ranks, int tag) {
        NativeComm from = (NativeComm) parent;
        boolean hidden = library.isOpenMpi() && !from.isMixed();
        return hidden
                ? createGroup("createGroup", from, from.shadow, ranks, messages.groupTag(tag))
                : createGroup("createGroup", from, from.handle, ranks, tag);
    }

    /// @param over the handle of `from`, or of the shadow of `from`; the library matches `tag` in the context
    /// of this handle
    private CommPort createGroup(String operation, NativeComm from, long over, int[] ranks, int tag) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment at = arena.allocate(8, 8);
            long group = NativeGroups.including(from.isMixed() ? from.handle : from.shadow, ranks, at, arena);
            try {
                synchronize(operation, from, over, ranks, tag);
                NativeComm some = derived(operation, from, out -> MPI_Comm_create_group(over, group, tag, out));
                return made(operation, from, some);
            } finally {
                NativeGroups.free(group, at);
            }
        }
    }

    @Override
    public CommPort createOfProcesses(String operation, int[] processes, CreationKey key) {
        for (NativeComm from : over) {
            int[] ranks = from.ranksOf(processes);
            if (ranks == null) continue;
            return createGroup(operation, from, from.isMixed() ? from.handle : from.shadow, ranks, tag(from, key));
        }
        throw Fault.argument(
                PredefinedErrorClass.ERR_GROUP,
                operation,
                "over a library, processes of several worlds can form a communicator only if an open communicator"
                        + " of spawn or merge contains all processes",
                world);
    }

    /// Returns the tag for the creation of a communicator with this key, by messages on `from`. Two generated
    /// keys have the same tag only if more than ten million communicators were created in between; a generated
    /// key never has the tag of a key that is a name.
    private int tag(NativeComm from, CreationKey key) {
        if (key.isName()) return messages.creationTag(key.number() << 1 | 1);
        int[] rank = from.ranksOf(new int[] {key.process()});
        return messages.creationTag((key.number() * from.size() + (rank == null ? 0 : rank[0])) << 1);
    }

    /// Creates the communicator of parents and a spawned world. Collective over all of these processes.
    NativeComm ofSeveralWorlds(String operation, NativeComm own, long handle, Invitation invited) {
        try (Arena arena = Arena.ofShared()) {
            worlds.meet(handle, invited, arena);
            NativeComm both = known(operation, own, handle, arena);
            over.add(both);
            return both;
        }
    }

    /// Starts a duplication. The copy and the shadow are created by two calls of the library. The handles are
    /// stored in `recv`, in off-heap memory.
    @Override
    public Collective startDup(CommPort parent) {
        calls.throwPoison();
        NativeComm from = (NativeComm) parent;
        NativeCollective c = new NativeCollective();
        c.fill("idup", from, Collective.Kind.BARRIER, 0).withinAll();
        c.form = Collective.Form.NONBLOCKING;
        MemorySegment handles = Arena.ofAuto().allocate(2 * HANDLE_BYTES, HANDLE_BYTES);
        c.recv.memory = new Memory.Native(handles);
        c.begin();
        if (library.isOpenMpi() && !from.isMixed()) {
            calls.duplicate(c, handles);
            return c;
        }
        NativeScratch s = NativeScratch.take();
        try {
            calls.check(MPI_Comm_idup(from.handle, handles, s.request), "idup", from);
            c.add(s.request());
            if (!from.isMixed()) {
                calls.check(MPI_Comm_idup(from.shadow, handles.asSlice(HANDLE_BYTES), s.request), "idup", from);
                c.add(s.request());
            }
            from.retain();
        } finally {
            s.give();
        }
        return c;
    }

    @Override
    public CommPort finishDup(Collective done) {
        NativeComm from = (NativeComm) done.port();
        MemorySegment handles = done.recv.memory.segment();
        long handle = ABI.readHandle(handles);
        long shadow = from.isMixed() ? MPI_COMM_NULL : ABI.readHandle(handles.asSlice(HANDLE_BYTES));
        calls.check(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), "idup", from);
        try (Arena arena = Arena.ofShared()) {
            return audit.known(worlds.describe("idup(" + from.name() + ")", handle, shadow, arena));
        }
    }

    private static NativeComm made(String operation, NativeComm parent, @Nullable NativeComm comm) {
        if (comm == null) throw new IllegalStateException(operation + " of " + parent + " gave no communicator");
        return comm;
    }

    /// Creates a communicator.
    @FunctionalInterface
    private interface Maker {
        int make(MemorySegment out);
    }

    /// Creates a communicator by a call of all ranks of the parent.
    private @Nullable NativeComm derivedByAll(String operation, NativeComm parent, Maker maker) {
        parent.countCall();
        if (mustSynchronize(parent)) {
            calls.throwPoison();
            calls.check(calls.anywhere(() -> MPI_Barrier(parent.handle)), operation, parent);
        }
        return derived(operation, parent, maker);
    }

    /// Returns whether all ranks of a new communicator synchronize before calling the library.
    ///
    /// With Open MPI, a process works on one new communicator at a time, in the order of the parents' numbers,
    /// even if other ranks have not called yet. Without the synchronization, threads that create communicators
    /// of different parents, in orders that differ between ranks, would deadlock.
    private boolean mustSynchronize(NativeComm parent) {
        return library.isOpenMpi() && !parent.isMixed();
    }

    /// Synchronizes the given ranks of `parent`, with messages on the handle `over`.
    private void synchronize(String operation, NativeComm parent, long over, int[] ranks, int tag) {
        if (!mustSynchronize(parent)) return;
        calls.throwPoison();
        int first = ranks[0];
        boolean isFirst = parent.rank() == first;
        IntSupplier barrier = () -> {
            int rc = 0;
            if (isFirst) {
                for (int i = 1; i < ranks.length && rc == 0; i++) rc = receiveNothing(ranks[i], tag, over);
                for (int i = 1; i < ranks.length && rc == 0; i++) rc = sendNothing(ranks[i], tag, over);
            } else {
                rc = sendNothing(first, tag, over);
                if (rc == 0) rc = receiveNothing(first, tag, over);
            }
            return rc;
        };
        calls.check(calls.anywhere(barrier), operation, parent);
    }

    private static int sendNothing(int dest, int tag, long over) {
        return MPI_Send(MemorySegment.NULL, 0, MPI_BYTE, dest, tag, over);
    }

    private static int receiveNothing(int source, int tag, long over) {
        NativeScratch s = NativeScratch.take();
        try {
            return MPI_Recv(MemorySegment.NULL, 0, MPI_BYTE, source, tag, over, s.status);
        } finally {
            s.give();
        }
    }

    private @Nullable NativeComm derived(String operation, NativeComm parent, Maker maker) {
        calls.throwPoison();
        freeUnused();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(calls.anywhere(() -> maker.make(out)), operation, parent);
            long handle = ABI.readHandle(out);
            return handle == MPI_COMM_NULL ? null : known(operation, parent, handle, arena);
        }
    }

    /// Completes a new communicator: all ranks create the shadow, unless the communicator is mixed.
    private NativeComm known(String operation, NativeComm parent, long handle, Arena arena) {
        calls.check(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN), operation, parent);
        long shadow = MPI_COMM_NULL;
        if (!mixed.isMixed(handle, arena)) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(calls.anywhere(() -> MPI_Comm_dup(handle, out)), operation, parent);
            shadow = ABI.readHandle(out);
        }
        return audit.known(worlds.describe(operation + "(" + parent.name() + ")", handle, shadow, arena));
    }

    /// Frees a communicator when no pending operation uses it (MPI 4.1, section 7.4.3): now, or in a later call
    /// that creates or frees a communicator. Until then, Tutti keeps the handles: Open MPI 4.1 uses the
    /// communicator's memory until a nonblocking call is complete, and Tutti's pending calls use the handles.
    @Override
    public void free(CommPort port) {
        NativeComm comm = (NativeComm) port;
        audit.freed(comm);
        over.remove(comm);
        if (!calls.isRunning()) return;
        comm.release();
        closed.add(comm);
        freeUnused();
    }

    private void freeUnused() {
        for (NativeComm comm : closed) if (comm.isUnused() && closed.remove(comm)) freeHandles(comm);
    }

    private void freeHandles(NativeComm comm) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment at = arena.allocate(8, 8);
            for (long handle : new long[] {comm.shadow, comm.handle}) {
                if (handle == MPI_COMM_NULL) continue; // a mixed communicator has no shadow
                ABI.writeHandle(at, handle);
                calls.check(calls.anywhere(() -> MPI_Comm_free(at)), "free", comm);
            }
        }
    }
}
