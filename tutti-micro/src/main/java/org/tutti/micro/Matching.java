package org.tutti.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.Matcher;
import org.tutti.shm.match.ShmTransfer;

/// A receive finds its message, whichever of them is first.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@State(Scope.Thread)
public class Matching {
    private static final long CONTEXT = 5;

    private final Matcher matcher = new Matcher();
    private final ShmTransfer receive = new ShmTransfer();

    @Benchmark
    public Object receiveFirst() {
        matcher.context(CONTEXT).post(receive);
        return matcher.context(CONTEXT).takePosted(0, 0);
    }

    @Benchmark
    public Object messageFirst() {
        Arrival a = matcher.take();
        matcher.context(CONTEXT).keep(a);
        Arrival found = matcher.context(CONTEXT).takeArrival(receive);
        matcher.giveBack(a);
        return found;
    }
}
