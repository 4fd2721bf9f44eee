package org.tutti.bench.osu;

import org.tutti.bench.measure.BenchMemory;
import org.tutti.bench.measure.Data;
import org.tutti.bench.measure.Pattern;
import org.tutti.bench.plan.BenchOptions;
import org.tutti.bench.plan.BenchTest;
import org.tutti.bench.plan.BufferElement;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Window;

/// Rank 0 accesses the memory of rank 1 while rank 1 waits. Each access, or each window of accesses, is
/// followed by a flush, as in OSU's tests with `MPI_Win_allocate` and `MPI_Win_flush`.
final class AccessTest implements MessageExchange {
    private static final int TARGET = 1, TAG = 2;

    private final BenchTest test;
    private final boolean first;
    private final int each;
    private final OwnedComm pair;
    private final Window window;
    private final Data sent;
    private final Data received;

    /// The initial content of rank 1's memory, with which a compare-and-swap compares.
    private final Data there;

    AccessTest(BenchMemory memory, BenchOptions options, boolean first, long bytes) {
        this.first = first;
        test = options.test();
        each = test.hasWindow() ? options.window() : 1;
        // one element if the test has no size
        BufferElement type = test.isSized() ? options.type() : BufferElement.LONG;
        long count = test.isSized() ? bytes / type.bytes() : 1;
        Comm world = memory.mpi().world();
        pair = world.createGroup(world.group().incl(0, TARGET), TAG);
        window = Window.allocate(pair, count * type.bytes());
        sent = memory.data(type, count);
        received = memory.data(type, count);
        there = memory.data(type, count);
        sent.fill(Pattern.of(0));
        there.fill(Pattern.of(TARGET));
        window.lockAll();
    }

    @Override
    public void run(int times) {
        if (!first) return;
        Window w = window;
        Buf out = sent.buf(), in = received.buf(), compare = there.buf();
        int many = each;
        for (int i = 0; i < times; i++) {
            switch (test) {
                case PUT_LATENCY, PUT_BW -> {
                    for (int k = 0; k < many; k++) w.put(out, TARGET);
                }
                case GET_LATENCY, GET_BW -> {
                    for (int k = 0; k < many; k++) w.get(in, TARGET);
                }
                case ACC_LATENCY -> w.accumulate(out, TARGET, Op.SUM);
                case GET_ACC_LATENCY -> w.getAccumulate(out, in, TARGET, 0, Op.SUM);
                case FOP_LATENCY -> w.fetchAndOp(out, in, TARGET, 0, Op.SUM);
                case CAS_LATENCY -> w.compareAndSwap(out, compare, in, TARGET, 0);
                default -> throw new IllegalStateException(test.word() + " accesses no window");
            }
            w.flush(TARGET);
        }
    }

    @Override
    public long wrong() {
        // waits until the measurement is over
        pair.barrier();
        received.fill(Pattern.NOTHING);
        if (!first) {
            window.put(there.buf(), TARGET);
            window.flush(TARGET);
        }
        pair.barrier();
        run(1);
        pair.barrier();
        long wrong = 0;
        if (first) {
            boolean gets = test != BenchTest.PUT_LATENCY && test != BenchTest.PUT_BW && test != BenchTest.ACC_LATENCY;
            if (gets) wrong = received.wrong(0, received.count(), Pattern.of(TARGET));
        } else {
            window.get(received.buf(), TARGET);
            window.flush(TARGET);
            wrong = received.wrong(
                    0,
                    received.count(),
                    switch (test) {
                        case PUT_LATENCY, PUT_BW, CAS_LATENCY -> Pattern.of(0);
                        case GET_LATENCY, GET_BW -> Pattern.of(TARGET);
                        default -> Pattern.sum(2);
                    });
        }
        pair.barrier();
        return wrong;
    }

    @Override
    public void close() {
        window.unlockAll();
        window.close();
        pair.close();
    }
}
