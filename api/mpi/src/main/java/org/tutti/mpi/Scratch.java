package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.object.ObjectCodec;
import org.tutti.mpi.object.ObjectRoom;
import org.tutti.spi.Access;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;

/// The reusable objects of a thread, so that blocking operations allocate no memory: two messages, one
/// collective call, two scalars, a status, memory for objects, and the messages and calls that completed
/// requests have returned.
final class Scratch {
    private static final int SPARE = 64;

    /// The size of the largest scalar, a pair, in bytes.
    private static final long SCALAR_BYTES = 16;

    private static final long KEPT_ROOM_BYTES = 1 << 20;
    private static final int SPARE_OBJECTS = 8;
    static final int SLOT_BYTES = 512;

    private final Thread thread = Thread.currentThread();
    private final EngineCalls engine;
    private final Transfer receive;
    private final Transfer send;
    private final Collective collective;
    private final @Nullable Transfer[] spare = new @Nullable Transfer[SPARE];
    private int spares;
    private final @Nullable Collective[] spareCollective = new @Nullable Collective[SPARE];
    private int spareCollectives;
    private Memory replaced = Memory.NONE;
    private ObjectCodec codec = new ObjectCodec();
    private ObjectRoom room = new ObjectRoom();
    private final ArrayDeque<ObjectCodec> spareCodecs = new ArrayDeque<>();
    private final ArrayDeque<ObjectRoom> spareRooms = new ArrayDeque<>();
    private MemorySegment slot = MemorySegment.NULL;

    /// The status that was returned last. Statuses are immutable, so the same object is returned for an equal
    /// status.
    Status lastStatus = Status.ofNullProcess();

    private @Nullable Access access;

    final MemorySegment scalarIn;
    final MemorySegment scalarOut;
    final Memory scalarInMemory;
    final Memory scalarOutMemory;

    /// The last 8 of the 16 bytes of [#scalarIn]: the expected value of a compare-and-swap.
    final Memory scalarCompareMemory;

    Scratch(EngineCalls engine) {
        this.engine = engine;
        receive = engine.transfer();
        send = engine.transfer();
        collective = engine.collective();
        MemorySegment scalars = Arena.ofAuto().allocate(128, 64);
        scalarIn = scalars.asSlice(0, SCALAR_BYTES);
        scalarOut = scalars.asSlice(64, SCALAR_BYTES);
        scalarInMemory = new Memory.Native(scalarIn);
        scalarOutMemory = new Memory.Native(scalarOut);
        scalarCompareMemory = new Memory.Native(scalars.asSlice(Long.BYTES, Long.BYTES));
    }

    /// Returns the receive of a blocking call; a new object in the rare case of a call within a call, for
    /// example from a reduction.
    Transfer receive() {
        return receive.isDone() ? receive : engine.transfer();
    }

    /// Returns the send of a blocking call.
    Transfer send() {
        return send.isDone() ? send : engine.transfer();
    }

    /// Returns the access of a call on a window; the first call creates it.
    Access access() {
        Access a = access;
        if (a == null) access = a = new Access();
        return a;
    }

    Collective collective() {
        return collective.isDone() ? collective : engine.collective();
    }

    /// Returns a message that a request may keep until the message is done.
    Transfer take() {
        if (spares == 0) return engine.transfer();
        Transfer t = spare[--spares];
        spare[spares] = null;
        return t == null ? engine.transfer() : t;
    }

    /// Returns a collective call that a request may keep until the call is done.
    Collective takeCollective() {
        if (spareCollectives == 0) return engine.collective();
        Collective c = spareCollective[--spareCollectives];
        spareCollective[spareCollectives] = null;
        return c == null ? engine.collective() : c;
    }

    void giveBack(Activity a) {
        switch (a.family) {
            case TRANSFER -> {
                Transfer t = (Transfer) a;
                t.memory = Memory.NONE;
                t.tail = List.of();
                t.layout = null;
                t.allocator = null;
                if (spares < SPARE) spare[spares++] = t;
            }
            case COLLECTIVE -> {
                Collective c = (Collective) a;
                c.send.memory = Memory.NONE;
                c.recv.memory = Memory.NONE;
                c.send.last = Memory.NONE;
                c.recv.last = Memory.NONE;
                c.send.keepRoom(KEPT_ROOM_BYTES);
                c.recv.keepRoom(KEPT_ROOM_BYTES);
                c.send.parts = null;
                c.recv.parts = null;
                c.neighbors = null;
                if (spareCollectives < SPARE) spareCollective[spareCollectives++] = c;
            }
        }
    }

    /// Returns the codec of a blocking call; a new codec in the rare case of a call while a value is being
    /// encoded or decoded.
    ObjectCodec codec() {
        return codec.isBusy() ? new ObjectCodec() : codec;
    }

    /// Returns the memory into which a blocking call receives an object.
    ObjectRoom room() {
        return codec.isBusy() ? new ObjectRoom() : room;
    }

    /// Called after a failed blocking call: replaces the memory for objects by new memory, because the engine
    /// may still access the old memory.
    void forgetObject() {
        codec = new ObjectCodec();
        room = new ObjectRoom();
    }

    /// Returns a codec that a request may keep until the request is done.
    ObjectCodec takeCodec() {
        ObjectCodec c = spareCodecs.pollLast();
        return c == null ? new ObjectCodec() : c;
    }

    void giveBack(ObjectCodec c) {
        c.release();
        if (spareCodecs.size() < SPARE_OBJECTS) spareCodecs.addLast(c);
    }

    /// Returns memory for an object that a request may keep until the request is done.
    ObjectRoom takeRoom() {
        ObjectRoom r = spareRooms.pollLast();
        return r == null ? new ObjectRoom() : r;
    }

    void giveBack(ObjectRoom r) {
        r.clear();
        if (spareRooms.size() < SPARE_OBJECTS) spareRooms.addLast(r);
    }

    /// Returns [#SLOT_BYTES] bytes for the lengths of an object, and for the object if it is short.
    MemorySegment slot() {
        if (slot.byteSize() == 0) slot = Arena.ofAuto().allocate(SLOT_BYTES, 64);
        return slot;
    }

    /// Returns memory for the data that a sendrecvReplace sends. The next sendrecvReplace reuses the memory;
    /// large data gets separate memory.
    Memory replaced(long bytes) {
        if (bytes > KEPT_ROOM_BYTES) return new Memory.Native(Arena.ofAuto().allocate(bytes, 64));
        if (replaced.segment().byteSize() < bytes) {
            long enough = Math.max(1024, Long.highestOneBit(bytes) * 2);
            replaced = new Memory.Native(Arena.ofAuto().allocate(enough, 64));
        }
        return replaced;
    }

    Status status(Transfer done) {
        Status s = Status.of(done, lastStatus);
        lastStatus = s;
        return s;
    }

    /// The scratch of each thread that has called MPI. A thread may outlive the job: after [#close], threads do
    /// not refer to the engine any more, so that the engine's memory can be garbage collected.
    static final class OfThreads {
        private final EngineCalls engine;
        private final ThreadLocal<Entry> mine = ThreadLocal.withInitial(this::register);
        private final List<WeakReference<Entry>> all = new ArrayList<>();
        private boolean isClosed;

        /// The scratch of the thread that called last, because the same thread usually calls next.
        private @Nullable Scratch last;

        /// The size of [#all] at which the entries of threads that have ended are removed.
        private int most = 64;

        private static final class Entry {
            private @Nullable Scratch scratch;
        }

        OfThreads(EngineCalls engine) {
            this.engine = engine;
        }

        /// Returns the scratch of this thread; after [#close], a new object.
        Scratch mine() {
            Scratch s = last;
            if (s != null && s.thread == Thread.currentThread()) return s;
            Scratch known = mine.get().scratch;
            if (known == null) return new Scratch(engine);
            last = known;
            return known;
        }

        private synchronized Entry register() {
            Entry made = new Entry();
            if (isClosed) return made;
            made.scratch = new Scratch(engine);
            if (all.size() == most) {
                all.removeIf(ref -> ref.refersTo(null));
                most = Math.max(most, 2 * all.size());
            }
            all.add(new WeakReference<>(made));
            return made;
        }

        synchronized void close() {
            isClosed = true;
            last = null;
            for (WeakReference<Entry> ref : all) {
                Entry entry = ref.get();
                if (entry != null) entry.scratch = null;
            }
            all.clear();
        }
    }
}
