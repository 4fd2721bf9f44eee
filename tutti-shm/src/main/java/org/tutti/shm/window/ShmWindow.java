package org.tutti.shm.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.OsDoor;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Extents.Extent;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Access;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.LocalWait;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.WindowPort;

/// A window in the job's memory. Every access is there when [#run] returns.
final class ShmWindow extends WindowPort {
    /// Where the memory of each rank lies, how long it is, and in what its displacements count.
    record Parts(long[] places, long[] bytes, int[] units) {}

    private final JobFailure failure;
    private final WindowRanks ranks;
    private final Parts parts;
    private final List<Extent> taken;
    private final Extents extents;
    private final OsDoor door;
    private final Accesses accesses;
    private final AccumulateLocks accumulates;
    private final PassiveLocks locks;
    private final Exposures exposures;

    /// What programs see of the memory lives in it.
    private final Arena arena = Arena.ofShared();

    ShmWindow(
            Engine engine,
            JobFailure failure,
            WindowRanks ranks,
            Parts parts,
            Extents extents,
            OsDoor door,
            List<Extent> taken) {
        super(ranks.port());
        this.failure = failure;
        this.ranks = ranks;
        this.parts = parts;
        this.taken = taken;
        this.extents = extents;
        this.door = door;
        accesses = new Accesses(ranks.memory());
        accumulates = new AccumulateLocks(ranks, engine::await);
        locks = new PassiveLocks(ranks);
        exposures = new Exposures(ranks);
    }

    @Override
    public long bytes(int rank) {
        return parts.bytes[rank];
    }

    @Override
    public int unitBytes(int rank) {
        return parts.units[rank];
    }

    @Override
    public MemorySegment memory(int rank) {
        return door.view(ranks.memory().segment().asSlice(parts.places[rank], parts.bytes[rank]), arena);
    }

    @Override
    public void run(Access access) {
        failure.check();
        long at = parts.places[access.target] + access.targetOffset;
        if (access.kind.isAtomic()) {
            accumulates.acquire(access.operation, access.target);
            try {
                accesses.update(access, at);
            } finally {
                accumulates.release(access.target);
            }
        } else if (access.kind == Access.Kind.PUT) {
            accesses.put(access.origin, access.targetLayout, at, access.bytes);
        } else {
            accesses.get(access.result, access.targetLayout, at, access.bytes);
        }
    }

    @Override
    public void flush(int target) {
        sync();
    }

    @Override
    public void flushAll() {
        sync();
    }

    @Override
    public void sync() {
        failure.check();
        VarHandle.fullFence();
    }

    @Override
    public @Nullable LocalWait lock(int target, boolean exclusive) {
        return locks.lock(target, exclusive);
    }

    @Override
    public void unlock(int target) {
        locks.unlock(target);
    }

    @Override
    public void post(int[] origins) {
        exposures.post(origins);
    }

    @Override
    public @Nullable LocalWait start(int[] targets) {
        return exposures.start(targets);
    }

    @Override
    public void complete(int[] targets) {
        exposures.complete(targets);
    }

    @Override
    public @Nullable LocalWait await(int[] origins) {
        return exposures.await(origins);
    }

    @Override
    public boolean test(int[] origins) {
        failure.check();
        return exposures.test(origins);
    }

    @Override
    public void free() {
        try {
            arena.close();
        } catch (IllegalStateException e) {
            throw Fault.argument(
                    PredefinedErrorClass.ERR_WIN, "close", "its memory is in use: " + e.getMessage(), port());
        }
        Shared memory = ranks.memory();
        long[] blocks = ranks.blocks();
        int me = ranks.me();
        // this rank's own last: when it is full, nobody uses what is given back
        for (int r = 1; r <= blocks.length; r++) {
            memory.addLong(blocks[(me + r) % blocks.length] + ControlBlock.CLOSED, 1);
        }
        extents.giveWhen(blocks[me] + ControlBlock.CLOSED, blocks.length, taken);
    }
}
