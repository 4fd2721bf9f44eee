package org.tutti.lab.stress.interleaving;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.tutti.shm.IdleStrategy;
import org.tutti.shm.ScheduledEngines;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.MessageAudit;

/// Runs random programs on the shm engine under random schedules. A schedule passes if the program ends, every
/// value is correct, no error is reported, and no message remains.
final class Interleaving {
    private static final long BYTES = 16L << 20;

    /// The number of slots, which is small, so that slots are reused soon.
    private static final int POSTS = 4;

    private final Scheduler scheduler = new Scheduler();
    private final MemorySegment bytes = Arena.ofAuto().allocate(BYTES, 4096);
    private final BiFunction<MemorySegment, Scheduler, ? extends Shared> kind;
    private long used = BYTES;

    /// @param kind creates the job's memory from these bytes
    Interleaving(BiFunction<MemorySegment, Scheduler, ? extends Shared> kind) {
        this.kind = kind;
    }

    /// Runs the program of this seed under the schedule of this seed.
    ///
    /// @return the number of scheduling points
    long run(long seed) throws Throwable {
        InterleavedProgram program = InterleavedProgram.of(seed);
        bytes.asSlice(0, used).fill((byte) 0);
        used = 0;
        Segment segment = new Segment(
                kind.apply(bytes, scheduler),
                program.ranks(),
                program.ringBytes(),
                POSTS,
                program.mostUnreceived(),
                this::commit);
        List<Runnable> bodies = new ArrayList<>();
        long[] started = new long[InterleavedProgram.MOST_NUMBERS];
        for (int rank = 0; rank < program.ranks(); rank++) {
            Engine engine = ScheduledEngines.open(
                    segment,
                    Bells.ofProcesses(segment, new ScheduledPlatform(scheduler)),
                    rank,
                    new JobFailure(),
                    new IdleStrategy(program.spins(), program.yields()),
                    new ScheduledLock(scheduler));
            bodies.addAll(bodies(engine, program, started));
        }
        try {
            return scheduler.run(bodies, seed);
        } finally {
            used = Math.max(used, 1 << 16);
        }
    }

    /// Zeroes memory when it is allocated again, like the job's file.
    private void commit(long at, long size) {
        bytes.asSlice(at, size).fill((byte) 0);
        used = Math.max(used, at + size);
    }

    private List<Runnable> bodies(Engine engine, InterleavedProgram program, long[] started) {
        List<Runnable> bodies = new ArrayList<>();
        int lanes = program.lanes().size();
        CommPort[] first = new CommPort[lanes];
        boolean[] finished = new boolean[lanes];
        bodies.add(() -> {
            first[0] = engine.communicators().world();
            for (int lane = 1; lane < lanes; lane++) {
                first[lane] =
                        engine.communicators().dup("dup", engine.communicators().world());
                scheduler.release(first);
            }
            new Lane(scheduler, engine, first[0], started).run(program.lanes().getFirst());
            for (int lane = 1; lane < lanes; lane++) while (!finished[lane]) scheduler.awaitRelease(finished);
            close(engine);
        });
        for (int lane = 1; lane < lanes; lane++) {
            int l = lane;
            bodies.add(() -> {
                while (first[l] == null) scheduler.awaitRelease(first);
                new Lane(scheduler, engine, first[l], started)
                        .run(program.lanes().get(l));
                finished[l] = true;
                scheduler.release(finished);
            });
        }
        return bodies;
    }

    /// Leaves the job like `Mpi.close`.
    private static void close(Engine engine) {
        if (engine.job().poison() != null) throw engine.job().poison();
        String lost = engine.power(MessageAudit.class).unreceived();
        if (lost != null) throw new AssertionError("before leave(): " + lost);
        engine.job().leave();
        lost = engine.power(MessageAudit.class).unreceived();
        if (lost != null) throw new AssertionError("after leave(): " + lost);
    }

    void stop() {
        scheduler.stop();
    }
}
