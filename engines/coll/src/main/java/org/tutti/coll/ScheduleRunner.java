package org.tutti.coll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Executes collective calls over an engine's messages, one at a time, without blocking.
///
///     runner.begin(call);
///     while (!runner.advance()) letTheEngineMakeProgress();
///     Throwable why = runner.failure();
///
/// The runner reads `call`, including `sequence`, until [#advance] has returned true, and starts every message
/// with [Engine#start] on [Transfer.Lane#COLLECTIVE]. The engine completes the messages. An engine that
/// completes a message only when the message is tested ([Engine#test]) gets the message to test from
/// [#waitingFor].
///
/// Not thread-safe: the engine calls it under a lock. Reentrant calls from within [Engine#start] are permitted
/// and have no effect. After the first calls, the runner does not allocate, because messages, program and
/// scratch memory are reused.
public final class ScheduleRunner {
    /// Tags contain the low bits of the call's number, so that messages of two active calls never mix. There
    /// are never more active calls than this mask has values.
    private static final long CALL_NUMBER_MASK = 0x3fff_ffff;

    private static final long MIN_SCRATCH_BYTES = 4096;
    private static final int SCRATCH_ALIGNMENT = 64;

    /// [Schedule#buffer] of a scratch place.
    private static final int SCRATCH = 2;

    private final Engine engine;
    private final Function<Collective, Algorithm> table;
    private final Schedule schedule = new Schedule();

    /// Messages: `[0, pending)` are active, the rest free.
    private @Nullable Transfer[] pool = new @Nullable Transfer[4];

    private int pending;

    /// The memory of the schedule's scratch places. It is garbage collected with the runner, or when larger
    /// memory replaces it.
    private Memory scratch = Memory.NONE;

    private @Nullable Collective call;
    private @Nullable Algorithm algorithm;
    private ElementType sendType = ElementType.BYTE;
    private ElementType receiveType = ElementType.BYTE;
    private int tag;
    private int next;
    private long firstElement;
    private boolean finished = true;
    private boolean busy;
    private @Nullable Throwable failure;

    public ScheduleRunner(Engine engine) {
        this(engine, AlgorithmTable::choose);
    }

    ScheduleRunner(Engine engine, Function<Collective, Algorithm> table) {
        this.engine = engine;
        this.table = table;
    }

    /// Plans `call` and starts the first messages. If the call fails, [#advance] returns true, and [#failure]
    /// then returns the reason.
    public void begin(Collective newCall) {
        call = newCall;
        failure = null;
        finished = false;
        busy = true;
        try {
            prepare(newCall);
            finished = execute(newCall);
        } catch (Throwable why) {
            abandon(why);
        } finally {
            busy = false;
        }
    }

    /// Advances as far as completed messages allow. Returns true if the call is complete or has failed. Cheap
    /// if no message has completed. Throws no exceptions.
    public boolean advance() {
        Collective current = call;
        if (finished || current == null) return true;
        if (busy) return false;
        busy = true;
        try {
            finished = execute(current);
        } catch (Throwable why) {
            abandon(why);
        } finally {
            busy = false;
        }
        return finished;
    }

    /// Returns why the call failed; null if it succeeded. The engine is responsible for the remaining messages
    /// of a failed call.
    public @Nullable Throwable failure() {
        return failure;
    }

    /// Returns a message that must complete before the call can continue, or null.
    public @Nullable Transfer waitingFor() {
        return pending == 0 ? null : pool[0];
    }

    /// Returns the total size of active messages in bytes.
    public long pendingBytes() {
        long bytes = 0;
        for (int i = 0; i < pending; i++) {
            Transfer message = pool[i];
            if (message != null) bytes += message.lengthBytes;
        }
        return bytes;
    }

    private void prepare(Collective c) {
        tag = (int) ((c.sequence & CALL_NUMBER_MASK) % engine.info().tagUpperBound());
        // In a gather, a rank that is not the root knows only the type of `send`. In an allgather, a rank also
        // forwards blocks of other ranks, which have the type of `recv`.
        sendType = c.kind == Collective.Kind.ALLGATHER && !c.inter ? c.recv.type : c.send.type;
        receiveType = switch (c.kind) {
            case GATHER, ALLGATHER, SCATTER, ALLTOALL, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL -> c.recv.type;
            // these two kinds have a type per message
            case ALLTOALLW, NEIGHBOR_ALLTOALLW -> c.recv.type;
            case BARRIER, BCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> c.send.type;
        };
        Algorithm chosen = table.apply(c);
        algorithm = chosen;
        firstElement = 0;
        planSlice(c, chosen);
        if (c.port().size() == 1) {
            // if the schedule has no step that accesses the memory, a closed arena would not be detected
            checkAccess(c.send.memory);
            checkAccess(c.recv.memory);
        }
    }

    /// Throws the JDK's exception if the memory's arena is closed.
    private static void checkAccess(Memory memory) {
        MemorySegment s = memory.segment();
        if (s.byteSize() == 0) return;
        var _ = s.get(ValueLayout.JAVA_BYTE, 0);
    }

    private void planSlice(Collective c, Algorithm chosen) {
        long count = Math.min(chosen.sliceElements(c), c.send.count - firstElement);
        schedule.clear();
        chosen.plan(c, firstElement, count, schedule);
        firstElement += count;
        next = 0;
        reserveScratch(schedule.scratchBytes());
    }

    private void reserveScratch(long bytes) {
        if (bytes <= scratch.segment().byteSize()) return;
        long rounded = Math.max(MIN_SCRATCH_BYTES, Long.highestOneBit(bytes - 1) << 1);
        scratch = Memory.of(Arena.ofAuto().allocate(rounded, SCRATCH_ALIGNMENT));
    }

    /// Runs the program until it must wait (returns false) or ends (returns true).
    private boolean execute(Collective c) {
        Schedule program = schedule;
        for (; ; ) {
            for (int i = next, end = program.size(); i < end; i++) {
                int opcode = program.opcode(i);
                if (opcode == Schedule.AWAIT && pending > 0 && !settle()) {
                    next = i;
                    return false;
                }
                if (opcode == Schedule.SEND) start(c, Transfer.Kind.SEND, type(c, c.send.parts, sendType, i), i);
                else if (opcode == Schedule.RECEIVE)
                    start(c, Transfer.Kind.RECV, type(c, c.recv.parts, receiveType, i), i);
                else if (opcode == Schedule.COPY) copy(c, i);
                else if (opcode == Schedule.REDUCE) reduce(c, i);
            }
            next = program.size();
            if (pending > 0 && !settle()) return false;
            Algorithm chosen = algorithm;
            if (chosen == null || firstElement >= c.send.count || c.kind == Collective.Kind.BARRIER) {
                release();
                return true;
            }
            planSlice(c, chosen);
        }
    }

    /// Returns the type of a message. If each part has a separate type, this is the type of the part that the
    /// message transfers. In a call in place, data is sent from scratch memory, and the part is the one for the
    /// destination.
    private ElementType type(Collective c, Collective.@Nullable SeparateBlocks parts, ElementType ofAll, int i) {
        long place = schedule.from(i);
        if (parts != null) return parts.types()[Collective.SeparateBlocks.part(Schedule.offset(place))];
        Collective.SeparateBlocks inPlace = c.recv.parts;
        return inPlace == null ? ofAll : inPlace.types()[schedule.peer(i)];
    }

    private void start(Collective c, Transfer.Kind kind, ElementType type, int i) {
        int slot = pending;
        if (slot == pool.length) pool = Arrays.copyOf(pool, 2 * slot);
        Transfer message = pool[slot];
        if (message == null) {
            message = engine.transfer();
            pool[slot] = message;
        }
        int peer = schedule.peer(i);
        message.fill(c.operation, c.port(), kind, peer, tag, type).within(Transfer.Lane.COLLECTIVE, peer, c);
        long bytes = schedule.length(i);
        long place = schedule.from(i);
        // The place of an empty message may be outside of the buffer, or the buffer may not exist.
        if (bytes == 0) message.at(Memory.NONE, 0, 0);
        else message.at(memory(c, place), offset(c, place), bytes);
        pending = slot + 1;
        engine.start(message);
    }

    private void copy(Collective c, int i) {
        long from = schedule.from(i);
        long to = schedule.to(i);
        MemorySegment.copy(
                memory(c, from).segment(), offset(c, from), memory(c, to).segment(), offset(c, to), schedule.length(i));
    }

    private void reduce(Collective c, int i) {
        long in = schedule.from(i);
        long inout = schedule.to(i);
        c.reduction()
                .apply(
                        c.send.type,
                        memory(c, in).segment(),
                        Schedule.offset(in),
                        memory(c, inout).segment(),
                        Schedule.offset(inout),
                        schedule.length(i));
    }

    private Memory memory(Collective c, long place) {
        return switch (Schedule.buffer(place)) {
            case 0 -> memory(c.send.memory, c.send.parts, place);
            case 1 -> memory(c.recv.memory, c.recv.parts, place);
            default -> scratch;
        };
    }

    private static Memory memory(Memory whole, Collective.@Nullable SeparateBlocks parts, long place) {
        return parts == null ? whole : parts.memories()[Collective.SeparateBlocks.part(Schedule.offset(place))];
    }

    /// Returns the offset of a place in [#memory].
    private static long offset(Collective c, long place) {
        long offset = Schedule.offset(place);
        boolean inParts = c.recv.parts != null && Schedule.buffer(place) != SCRATCH;
        return inParts ? Collective.SeparateBlocks.within(offset) : offset;
    }

    /// Removes completed messages. Returns true if no active message remains. The first failure ends the call.
    private boolean settle() {
        for (int i = 0; i < pending; ) {
            Transfer message = pool[i];
            if (message == null || !message.isDone()) {
                i++;
                continue;
            }
            check(message);
            pending--;
            pool[i] = pool[pending];
            pool[pending] = message;
            // An idle runner must not retain a user's memory.
            message.memory = Memory.NONE;
            message.call = null;
        }
        return pending == 0;
    }

    private void check(Transfer message) {
        Throwable why = message.failure();
        if (why != null) throw new Failed(why);
        if (message.kind == Transfer.Kind.RECV && message.receivedBytes != message.lengthBytes) {
            throw Fault.job(
                    PredefinedErrorClass.ERR_MISMATCH,
                    message.operation,
                    message.port().describeRank(message.peer) + " sent " + message.receivedBytes
                            + " bytes where this rank expects " + message.lengthBytes,
                    message.port());
        }
    }

    /// Fails the call. The engine is responsible for the remaining messages.
    public void abandon(Throwable why) {
        failure = why instanceof Failed ? why.getCause() : why;
        // The engine still uses active messages and their memory: neither may be reused.
        for (int i = 0; i < pending; i++) pool[i] = null;
        if (pending > 0) scratch = Memory.NONE;
        pending = 0;
        release();
        finished = true;
    }

    private void release() {
        call = null;
        algorithm = null;
    }

    /// Carries the failure of a message out of the execution of the schedule; the failure can be any throwable.
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed(Throwable cause) {
            super(null, cause, false, false);
        }
    }
}
