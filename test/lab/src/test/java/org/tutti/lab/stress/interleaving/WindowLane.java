package org.tutti.lab.stress.interleaving;

import org.jspecify.annotations.Nullable;
import org.tutti.lab.stress.interleaving.InterleavedProgram.Step;
import org.tutti.spi.Access;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.WindowPort;
import org.tutti.spi.Windows;
import org.tutti.spi.Windows.Placement;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// The accesses of one rank to a window. The memory of each rank contains four longs: a sum that is changed
/// under exclusive locks, the negated sum, a counter, and the value put by the previous rank.
final class WindowLane {
    /// Maximum number of fetches on one communicator, and the number of bits in `fetched` for each
    /// communicator. The world rank of the communicator's rank 0 selects the bits, because the communicators of
    /// a step differ in this rank.
    private static final int MOST_FETCHED = 16;

    private static final int SUM = 0, NEGATION = 8, COUNTER = 16, PUT = 24, BYTES = 32;

    private final Engine engine;
    private final WindowPort window;
    private final CommPort port;
    private final Access access = new Access();

    /// For each step, a bit set of the fetched values of the counter.
    private final long[] fetched;

    WindowLane(Engine engine, CommPort of, boolean contiguous, long[] fetched) {
        this.engine = engine;
        this.fetched = fetched;
        Windows windows = engine.power(Windows.class);
        if (windows == null) throw new IllegalStateException("an engine without windows");
        port = engine.communicators().dup("dup", of);
        window = windows.allocate(
                "allocate", port, BYTES, 1, contiguous ? Placement.SHARED_IN_ONE_ROW : Placement.ANYWHERE);
    }

    void run(Step.Access step) {
        int target = step.target() % port.size();
        for (int i = 0; i < step.rounds(); i++) {
            exclusive(step, target);
            shared(step, target);
            neighbors(step, i);
        }
        Collective barrier = engine.collective().fill("fence", port, Collective.Kind.BARRIER, 0);
        engine.run(barrier);
        long all = (long) step.rounds() * port.size();
        await(window.lock(target, false));
        same(step, "sum", all, get(target, SUM));
        same(step, "counter", all, get(target, COUNTER));
        window.unlock(target);
        window.free();
        engine.communicators().free(port);
    }

    private void exclusive(Step step, int target) {
        await(window.lock(target, true));
        long sum = get(target, SUM);
        same(step, "negation", -sum, get(target, NEGATION));
        put(target, SUM, sum + 1);
        put(target, NEGATION, -sum - 1);
        window.unlock(target);
    }

    private void shared(Step.Access step, int target) {
        await(window.lock(target, false));
        long sum = get(target, SUM);
        same(step, "negation", -sum, get(target, NEGATION));
        long[] old = new long[1];
        access.fill("fetchAndOp", Access.Kind.GET_ACCUMULATE, target);
        place(COUNTER);
        access.type = ElementType.LONG;
        access.op = PredefinedReduction.SUM;
        access.origin.at(Memory.ofArray(new long[] {1}), null);
        access.result.at(Memory.ofArray(old), null);
        window.run(access);
        window.unlock(target);
        long bit = 1L << old[0] + MOST_FETCHED * port.worldRank(0);
        if ((fetched[step.number()] & bit) != 0) throw new AssertionError(step + ": fetched " + old[0] + " twice");
        fetched[step.number()] |= bit;
    }

    private void neighbors(Step step, int round) {
        int above = (port.rank() + 1) % port.size(), below = (port.rank() + port.size() - 1) % port.size();
        window.post(new int[] {below});
        await(window.start(new int[] {above}));
        put(above, PUT, 100L * round + port.rank());
        window.complete(new int[] {above});
        if (!window.test(new int[] {below})) await(window.await(new int[] {below}));
        same(step, "value put by the previous rank", 100L * round + below, get(port.rank(), PUT));
    }

    private void await(@Nullable LocalWait wait) {
        if (wait != null) engine.await(wait);
    }

    private void place(int at) {
        access.targetOffset = at;
        access.bytes = Long.BYTES;
    }

    private void put(int target, int at, long value) {
        access.fill("put", Access.Kind.PUT, target);
        place(at);
        access.origin.at(Memory.ofArray(new long[] {value}), null);
        window.run(access);
    }

    private long get(int target, int at) {
        long[] value = new long[1];
        access.fill("get", Access.Kind.GET, target);
        place(at);
        access.result.at(Memory.ofArray(value), null);
        window.run(access);
        return value[0];
    }

    private void same(Step step, String label, long due, long is) {
        if (due == is) return;
        throw new AssertionError("rank " + port.rank() + ": " + step + ": " + label + " is " + is + ", not " + due);
    }
}
