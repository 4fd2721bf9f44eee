package org.tutti.coll.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Access;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;

/// A window in memory that the ranks share. Every access is complete when [#run] returns.
public abstract class SharedWindow extends WindowPort implements AccumulateLock {
    /// Offset and length of each rank's memory, and the displacement units.
    public record Parts(long[] places, long[] bytes, int[] units) {}

    private final WindowRanks ranks;
    private final Parts parts;
    private final Accesses accesses;
    private final AccumulateLocks accumulates;
    private final TicketLock locks;
    private final Exposures exposures;

    /// Lifetime of the segment through which the program accesses the memory; ends when this rank closes the
    /// window.
    private final Arena arena = Arena.ofShared();

    protected SharedWindow(Engine engine, WindowRanks ranks, Parts parts) {
        super(ranks.port());
        this.ranks = ranks;
        this.parts = parts;
        accesses = new Accesses(ranks.memory());
        accumulates = new AccumulateLocks(ranks, engine::await);
        locks = new TicketLock(ranks.port(), ranks);
        exposures = new Exposures(ranks.port(), ranks);
    }

    /// Throws if the job has failed.
    protected abstract void checkJob();

    /// Returns a view of the memory with lifetime `life`.
    protected abstract MemorySegment view(MemorySegment memory, Arena life);

    /// Called when this rank has closed the window.
    protected abstract void closed();

    @Override
    public final long bytes(int rank) {
        return parts.bytes[rank];
    }

    @Override
    public final int unitBytes(int rank) {
        return parts.units[rank];
    }

    @Override
    public final MemorySegment memory(int rank) {
        return view(ranks.memory().segment().asSlice(parts.places[rank], parts.bytes[rank]), arena);
    }

    @Override
    public final void run(Access access) {
        runAt(access, parts.places[access.target] + access.targetOffset);
    }

    /// Runs an access at an offset in the job's memory, which may be outside of this window.
    protected final void runAt(Access access, long at) {
        checkJob();
        if (access.kind.isAtomic()) {
            acquire(access);
            try {
                accesses.update(access, at);
            } finally {
                release(access);
            }
        } else if (access.kind == Access.Kind.PUT) {
            accesses.put(access.origin, access.targetLayout, at, access.bytes);
        } else {
            accesses.get(access.result, access.targetLayout, at, access.bytes);
        }
    }

    @Override
    public final void acquire(Access access) {
        accumulates.acquire(access.operation, access.target);
    }

    @Override
    public final void release(Access access) {
        accumulates.release(access.target);
    }

    @Override
    public final void flush(int target) {
        sync();
    }

    @Override
    public final void flushAll() {
        sync();
    }

    @Override
    public final void sync() {
        checkJob();
        VarHandle.fullFence();
    }

    @Override
    public final @Nullable LocalWait lock(int target, boolean exclusive) {
        return locks.lock(target, exclusive);
    }

    @Override
    public final int lockLine(int target) {
        return ranks.line(target, ranks.me());
    }

    @Override
    public final void lockLine(int target, int line) {
        ranks.noteLine(target, line);
    }

    @Override
    public final void unlock(int target) {
        locks.unlock(target);
    }

    @Override
    public final void post(int[] origins) {
        exposures.post(origins);
    }

    @Override
    public final @Nullable LocalWait start(int[] targets) {
        return exposures.start(targets);
    }

    @Override
    public final void complete(int[] targets) {
        exposures.complete(targets);
    }

    @Override
    public final @Nullable LocalWait await(int[] origins) {
        return exposures.await(origins);
    }

    @Override
    public final boolean test(int[] origins) {
        checkJob();
        return exposures.test(origins);
    }

    @Override
    public final void free() {
        try {
            arena.close();
        } catch (IllegalStateException e) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_WIN, "close", "the memory is in use: " + e.getMessage(), port());
        }
        closed();
    }
}
