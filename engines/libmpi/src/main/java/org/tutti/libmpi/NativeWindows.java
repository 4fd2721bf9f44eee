package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Constants.*;
import static org.tutti.libmpi.raw.WindowFunctions.*;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.coll.window.AccumulateLock;
import org.tutti.coll.window.ControlBlock;
import org.tutti.coll.window.SharedWindow;
import org.tutti.coll.window.WindowRanks;
import org.tutti.job.environment.Host;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.libmpi.LibraryWindow.Order;
import org.tutti.spi.AttachedMemory;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.LongExchange;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows;

/// Creates windows over a library: a [MappedWindow] for ranks that share memory, otherwise a [NativeWindow].
///
/// A program closes a window locally, but freeing the library's window is collective. Therefore a window that
/// all its ranks have closed is freed when the same ranks create their next window; the remaining windows are
/// freed when the job ends. Windows are freed in the order of creation, which is the same on all ranks.
final class NativeWindows implements Windows {
    /// The indices of the values that ranks exchange before the creation of a window.
    private static final int BYTES = 0, UNIT = 1, MACHINE = 2, CLOCK = 3, NUMBER = 4, KIND = 5, CLOSED = 6;

    /// Maximum number of closed windows that a rank reports in one exchange.
    private static final int MOST_CLOSED = 16;

    /// The kind that ranks exchange for a dynamic window; for other windows, it is the ordinal of the
    /// placement.
    private static final int DYNAMIC = Placement.values().length;

    private static final long PAGE = 4096, PIECE = 16 << 20;
    private static final File SHARED_MEMORY = new File("/dev/shm");
    private static final int LONGS = CLOSED + MOST_CLOSED;

    private final Engine engine;
    private final NativeCommunicators.Calls calls;
    private final Staging staging;
    private final NodeRanks machine;
    private final WindowProgress progress;
    private final boolean isOpenMpi;

    // guarded by this
    private long clock;
    private long number;

    /// The closed windows; the key is the list of the world ranks of the ranks that created the windows.
    private final Map<List<Integer>, List<LibraryWindow>> closed = new HashMap<>();

    private final List<LibraryWindow> all = new ArrayList<>();

    NativeWindows(
            Engine engine,
            NativeCommunicators.Calls calls,
            Staging staging,
            NodeRanks machine,
            WindowProgress progress,
            boolean isOpenMpi) {
        this.engine = engine;
        this.calls = calls;
        this.staging = staging;
        this.machine = machine;
        this.progress = progress;
        this.isOpenMpi = isOpenMpi;
    }

    void check(int rc, CommPort port) {
        calls.check(rc, "window", (NativeComm) port);
    }

    void checkJob() {
        calls.throwPoison();
    }

    /// Records that this rank has accessed a window through the library.
    void accesses() {
        calls.throwPoison();
        progress.accesses();
    }

    void await(LocalWait wait) {
        engine.await(wait);
    }

    @Override
    public WindowPort allocate(String operation, CommPort port, long bytes, int unitBytes, Placement placement) {
        NativeComm comm = (NativeComm) port;
        if (comm.isMixed()) throw ForeignRanks.refuse(operation, comm, "windows");
        return new Making(operation, comm, bytes, unitBytes).make(placement);
    }

    /// Returns the memory that ranks can attach to `window`. Attached memory has a different address on each
    /// rank and is not shared, so all accesses use the library. Throws with Open MPI: for each access, the
    /// origin reads the target's list of attached memory, and if the target attaches or detaches other memory
    /// at the same time, Open MPI 4.1 ends the process of the origin.
    @Override
    public AttachedMemory attachable(String operation, WindowPort window) {
        if (isOpenMpi) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_OTHER,
                    operation,
                    "Open MPI has no dynamic windows that are safe while ranks attach memory; use allocate, or run over"
                            + " MPICH or shm",
                    window.port());
        }
        return new Making(operation, (NativeComm) window.port(), 0, 1).attachable((AccumulateLock) window);
    }

    /// Records that this rank has closed the window.
    synchronized void closed(LibraryWindow window) {
        closed.computeIfAbsent(ranks(window.port()), _ -> new ArrayList<>()).add(window);
    }

    private static List<Integer> ranks(CommPort port) {
        return IntStream.range(0, port.size()).mapToObj(port::worldRank).toList();
    }

    /// Frees all remaining windows, after all ranks have left the job.
    void end() {
        progress.end();
        List<LibraryWindow> left;
        synchronized (this) {
            left = new ArrayList<>(all);
        }
        left.sort(LibraryWindow.MADE);
        left.forEach(LibraryWindow::free);
    }

    /// The creation of a window.
    private final class Making {
        private final String operation;
        private final NativeComm port;
        private final long bytes;
        private final int unit;

        Making(String operation, NativeComm port, long bytes, int unit) {
            this.operation = operation;
            this.port = port;
            this.bytes = bytes;
            this.unit = unit;
        }

        WindowPort make(Placement placement) {
            String full = whyNoRoom(bytes);
            long[] exchanged = exchange(full == null ? bytes : ~bytes, placement.ordinal());
            checkKinds(column(exchanged, KIND));
            long[] lengths = column(exchanged, BYTES);
            checkRoom(full, lengths);
            int[] units = Arrays.stream(column(exchanged, UNIT))
                    .mapToInt(u -> (int) u)
                    .toArray();
            boolean canShare = areAlike(column(exchanged, MACHINE));
            if (placement != Placement.ANYWHERE && !canShare) throw notShared();
            freeClosedByAll(exchanged);
            if (canShare) {
                SharedPlaces places = new SharedPlaces(lengths, placement);
                if (fits(places, placement)) return mapped(order(exchanged), places, lengths, units);
            }
            return remote(order(exchanged), lengths, units);
        }

        /// The layout of memory that the first rank allocates for all ranks.
        private final class SharedPlaces {
            final long[] blocks = new long[port.size()];
            final long[] places = new long[port.size()];
            final long bytes;

            SharedPlaces(long[] lengths, Placement placement) {
                long at = 0;
                for (int r = 0; r < blocks.length; r++) {
                    blocks[r] = at;
                    at = aligned(at + ControlBlock.bytes(blocks.length), NativeWindow.ALIGNMENT);
                }
                for (int r = 0; r < places.length; r++) {
                    // parts of at least a page are page-aligned, so that each part can be on the NUMA node of
                    // the rank
                    if (placement != Placement.SHARED_IN_ONE_ROW) {
                        at = aligned(at, lengths[r] < PAGE ? NativeWindow.ALIGNMENT : PAGE);
                    }
                    places[r] = at;
                    at = at > Long.MAX_VALUE - PAGE - lengths[r] ? Long.MAX_VALUE - PAGE : at + lengths[r];
                }
                bytes = at;
            }

            private static long aligned(long at, long alignment) {
                return at + alignment - 1 & -alignment;
            }
        }

        private WindowPort mapped(Order order, SharedPlaces of, long[] lengths, int[] units) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment base = arena.allocate(ADDRESS);
                long size = port.rank() == 0 ? of.bytes + PAGE : 0;
                long handle =
                        made(out -> MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, port.handle, base, out), arena);
                MemorySegment length = arena.allocate(JAVA_LONG), unitOfFirst = arena.allocate(JAVA_INT);
                check(MPI_Win_shared_query(handle, 0, length, unitOfFirst, base), port);
                long address = base.get(ADDRESS, 0).address(), begin = -address & PAGE - 1;
                MemorySegment memory = MemorySegment.ofAddress(address + begin).reinterpret(of.bytes);
                int me = port.rank();
                clear(memory.asSlice(of.blocks[me], ControlBlock.bytes(port.size())));
                clear(memory.asSlice(of.places[me], bytes));
                VarHandle.fullFence();
                // after this exchange, all ranks have cleared their control blocks; if the memory has different
                // offsets from the start of a page, the ranks do not map the same memory
                if (!areAlike(LongExchange.words(engine, operation, port, begin))) throw notShared();
                LibraryWindow library = known(new LibraryWindow(port, handle, order, false));
                WindowRanks ranks = new WindowRanks(port, new SharedMemoryAccess(memory), _ -> {}, of.blocks);
                SharedWindow.Parts parts = new SharedWindow.Parts(of.places, lengths, units);
                return new MappedWindow(engine, ranks, parts, NativeWindows.this, library);
            }
        }

        private WindowPort remote(Order order, long[] lengths, int[] units) {
            long counterBytes = WindowCounters.bytes(port.size());
            try (Arena arena = Arena.ofShared()) {
                MemorySegment base = arena.allocate(ADDRESS);
                long size = counterBytes + bytes + NativeWindow.ALIGNMENT;
                long handle = made(out -> MPI_Win_allocate(size, 1, MPI_INFO_NULL, port.handle, base, out), arena);
                MemorySegment memory = base.get(ADDRESS, 0).reinterpret(size);
                clear(memory);
                check(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle), port);
                check(MPI_Win_sync(handle), port);
                long begin = -memory.address() & NativeWindow.ALIGNMENT - 1;
                long[] begins = LongExchange.words(engine, operation, port, begin);
                long[] places = Arrays.stream(begins).map(b -> b + counterBytes).toArray();
                NativeWindow.Parts parts = new NativeWindow.Parts(begins, places, lengths, units);
                LibraryWindow library = known(new LibraryWindow(port, handle, order, true));
                progress.begin();
                return new NativeWindow(NativeWindows.this, library, parts, memory.address(), staging);
            }
        }

        NativeAttached attachable(AccumulateLock lock) {
            long[] exchanged = exchange(0, DYNAMIC);
            checkKinds(column(exchanged, KIND));
            freeClosedByAll(exchanged);
            try (Arena arena = Arena.ofShared()) {
                long handle = made(out -> MPI_Win_create_dynamic(MPI_INFO_NULL, port.handle, out), arena);
                check(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle), port);
                LibraryWindow library = known(new LibraryWindow(port, handle, order(exchanged), true));
                progress.begin();
                return new NativeAttached(NativeWindows.this, lock, library, staging);
            }
        }

        /// Clears the memory in pieces, because the JVM does not reach a safepoint while it clears a piece.
        private static void clear(MemorySegment memory) {
            for (long at = 0; at < memory.byteSize(); at += PIECE) {
                memory.asSlice(at, Math.min(PIECE, memory.byteSize() - at)).fill((byte) 0);
            }
        }

        /// Creates a window of the library.
        private long made(ToIntFunction<MemorySegment> maker, Arena arena) {
            MemorySegment out = arena.allocate(8, 8);
            calls.check(calls.anywhere(() -> maker.applyAsInt(out)), operation, port);
            long handle = ABI.readHandle(out);
            check(MPI_Win_set_errhandler(handle, MPI_ERRORS_RETURN), port);
            return handle;
        }

        private LibraryWindow known(LibraryWindow made) {
            synchronized (NativeWindows.this) {
                all.add(made);
            }
            return made;
        }

        // ---- exchanges between ranks

        private long[] exchange(long length, int kind) {
            long[] mine = new long[LONGS];
            mine[BYTES] = length;
            mine[UNIT] = unit;
            mine[KIND] = kind;
            mine[MACHINE] = machine.shared();
            synchronized (NativeWindows.this) {
                mine[CLOCK] = clock;
                mine[NUMBER] = ++number;
                List<LibraryWindow> mayGo = closed.getOrDefault(ranks(port), List.of()).stream()
                        .sorted(LibraryWindow.MADE)
                        .toList();
                // takes the oldest and the newest windows alternately, because another rank may keep the oldest
                // ones open for a long time
                for (int i = 0, n = mayGo.size(); i < MOST_CLOSED && i < n; i++) {
                    mine[CLOSED + i] = mayGo.get(i % 2 == 0 ? i / 2 : n - 1 - i / 2)
                            .order()
                            .number();
                }
            }
            return LongExchange.words(engine, operation, port, mine);
        }

        private Order order(long[] exchanged) {
            synchronized (NativeWindows.this) {
                // computed only from exchanged values, because other threads of this rank may be creating
                // windows
                long of = Arrays.stream(column(exchanged, CLOCK)).max().orElse(0) + 1;
                clock = Math.max(clock, of);
                return new Order(of, port.worldRank(0), exchanged[NUMBER]);
            }
        }

        private long[] column(long[] exchanged, int which) {
            return IntStream.range(0, port.size())
                    .mapToLong(r -> exchanged[LONGS * r + which])
                    .toArray();
        }

        private static boolean areAlike(long[] values) {
            return Arrays.stream(values).allMatch(w -> w == values[0]);
        }

        /// Frees the windows that all ranks have closed. Windows of the same ranks have the same first rank, so
        /// the window number identifies a window.
        private void freeClosedByAll(long[] exchanged) {
            List<LibraryWindow> free = new ArrayList<>();
            synchronized (NativeWindows.this) {
                List<LibraryWindow> mayGo = closed.computeIfAbsent(ranks(port), _ -> new ArrayList<>());
                for (LibraryWindow w : mayGo)
                    if (isClosedByAll(exchanged, w.order().number())) free.add(w);
                mayGo.removeAll(free);
                all.removeAll(free);
            }
            free.sort(LibraryWindow.MADE);
            for (LibraryWindow w : free) {
                calls.anywhere(() -> {
                    w.free();
                    return 0;
                });
            }
        }

        private boolean isClosedByAll(long[] exchanged, long window) {
            return IntStream.range(0, port.size())
                    .allMatch(r ->
                            IntStream.range(0, MOST_CLOSED).anyMatch(i -> exchanged[LONGS * r + CLOSED + i] == window));
        }

        // ---- memory

        private static @Nullable String whyNoRoom(long wanted) {
            try {
                Host.checkMemory(wanted);
                return null;
            } catch (IOException e) {
                return e.getMessage();
            }
        }

        /// Throws if ranks create windows of different kinds, because these ranks would call different
        /// functions.
        private void checkKinds(long[] kinds) {
            if (areAlike(kinds)) return;
            int me = port.rank(), other = 0;
            while (kinds[other] == kinds[me]) other++;
            String detail = "this rank creates a window of " + kind(kinds[me]) + ", " + port.describeRank(other)
                    + " a window of "
                    + kind(kinds[other])
                    + "; all ranks must call the same method, with the same hint alloc_shared_noncontig";
            throw Fault.job(PredefinedErrorClass.ERR_MISMATCH, operation, detail, port);
        }

        private static String kind(long of) {
            return of == DYNAMIC ? "dynamic memory" : "memory of placement " + Placement.values()[(int) of];
        }

        /// Fails on all ranks if one rank has too little memory. The error text names this rank. The element of
        /// `lengths` for such a rank is the bitwise complement of the requested size, a negative number.
        private void checkRoom(@Nullable String full, long[] lengths) {
            if (full != null) throw noRoom("too little memory for " + bytes + " bytes: " + full);
            for (int r = 0; r < lengths.length; r++) {
                if (lengths[r] < 0)
                    throw noRoom(port.describeRank(r) + " has too little memory for " + ~lengths[r] + " bytes");
            }
        }

        /// Returns whether the first rank has enough memory for `places`. Libraries map this memory from
        /// [#SHARED_MEMORY], where a store beyond the available memory kills the process. If the memory does
        /// not suffice, windows that need not be shared are allocated elsewhere; for all other windows, this
        /// method throws.
        private boolean fits(SharedPlaces places, Placement placement) {
            String full = port.rank() != 0 ? null : whyNoRoom(places.bytes);
            long left = SHARED_MEMORY.exists() ? SHARED_MEMORY.getUsableSpace() : Long.MAX_VALUE;
            if (full == null && port.rank() == 0 && left < places.bytes) {
                full = SHARED_MEMORY + " has " + left + " bytes left";
            }
            boolean fits = LongExchange.words(engine, operation, port, full == null ? 1 : 0)[0] == 1;
            if (fits || placement == Placement.ANYWHERE) return fits;
            throw noRoom("too little memory for the " + places.bytes + " bytes of all ranks"
                    + (full == null ? "" : ": " + full));
        }

        private Fault noRoom(String detail) {
            return Fault.argument(PredefinedErrorClass.ERR_NO_MEM, operation, detail, port);
        }

        private Fault notShared() {
            return Fault.argument(
                    PredefinedErrorClass.ERR_RMA_SHARED,
                    operation,
                    "ranks of " + port.name()
                            + " are on several machines, or the library cannot share memory between these ranks;"
                            + " create it on a communicator of splitType(SHARED), or use allocate",
                    port);
        }
    }
}
