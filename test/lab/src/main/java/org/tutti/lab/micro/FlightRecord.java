package org.tutti.lab.micro;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.inspect.Recording;
import org.tutti.job.status.FlightRing;
import org.tutti.shm.ShmProvider;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.Observer;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// The cost of the flight recorder for operations of the shm engine: a single rank sends a message to the same
/// rank, which is two operations, or makes a collective call.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class FlightRecord {
    @Param({"false", "true"})
    boolean recorded;

    private Engine engine;
    private CommPort world;
    private Observer recorder;
    private Transfer send;
    private Transfer receive;
    private Collective collective;
    private final byte[] from = new byte[8], to = new byte[8];
    private final Memory out = new Memory.Heap(MemorySegment.ofArray(from), from);
    private final Memory in = new Memory.Heap(MemorySegment.ofArray(to), to);

    @Setup
    public void open() {
        engine = new ShmProvider().openLocal(1).getFirst();
        world = engine.communicators().world();
        if (recorded) recorder = Recording.alone(engine, FlightRing.ofThisProcess());
        send = engine.transfer();
        receive = engine.transfer();
        collective = engine.collective();
    }

    private void run(Activity activity) {
        if (recorder != null) recorder.begins(Observer.Verb.RUN, activity);
        engine.run(activity);
        if (recorder != null) recorder.returns(Observer.Verb.RUN, activity);
    }

    @Benchmark
    public void message() {
        Transfer s = send.fill("send", world, Transfer.Kind.SEND, 0, 5, ElementType.BYTE);
        run(s.at(out, 0, 8));
        Transfer r = receive.fill("recv", world, Transfer.Kind.RECV, 0, 5, ElementType.BYTE);
        run(r.at(in, 0, 8));
    }

    @Benchmark
    public void barrier() {
        run(collective.fill("barrier", world, Collective.Kind.BARRIER, 0));
    }
}
