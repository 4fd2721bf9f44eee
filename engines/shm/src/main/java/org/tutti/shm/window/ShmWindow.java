package org.tutti.shm.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.coll.window.ControlBlock;
import org.tutti.coll.window.SharedWindow;
import org.tutti.coll.window.WindowRanks;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.SharedMemoryAccess;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Extents;
import org.tutti.shm.segment.Extents.Extent;
import org.tutti.spi.Access;
import org.tutti.spi.Engine;

/// A window in the job's memory.
final class ShmWindow extends SharedWindow {
    private final JobFailure failure;
    private final WindowRanks ranks;
    private final List<Extent> taken;
    private final Extents extents;
    private final OsPlatform platform;

    ShmWindow(
            Engine engine,
            JobFailure failure,
            WindowRanks ranks,
            Parts parts,
            Extents extents,
            OsPlatform platform,
            List<Extent> taken) {
        super(engine, ranks, parts);
        this.failure = failure;
        this.ranks = ranks;
        this.taken = taken;
        this.extents = extents;
        this.platform = platform;
    }

    /// Executes an access at an offset of the job's memory.
    void run(Access access, long at) {
        runAt(access, at);
    }

    @Override
    protected void checkJob() {
        failure.check();
    }

    @Override
    protected MemorySegment view(MemorySegment memory, Arena life) {
        return platform.view(memory, life);
    }

    @Override
    protected void closed() {
        SharedMemoryAccess memory = ranks.memory();
        long[] blocks = ranks.blocks();
        int me = ranks.port().rank();
        // this rank's block is counted last: when the count is complete, no rank uses the freed memory any more
        for (int r = 1; r <= blocks.length; r++) {
            memory.addLong(blocks[(me + r) % blocks.length] + ControlBlock.CLOSED, 1);
        }
        extents.giveWhen(blocks[me] + ControlBlock.CLOSED, blocks.length, taken);
    }
}
