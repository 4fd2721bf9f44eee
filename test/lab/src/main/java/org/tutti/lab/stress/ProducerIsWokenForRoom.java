package org.tutti.lab.stress;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.tutti.shm.channel.RecordDescriptor;

/// The ring is full. The producer announces that it waits, executes a fence and checks again. The consumer
/// takes all records.
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "found free lines")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "sleeps and is woken")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "redundant wakeup")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "sleeps forever")
@State
public class ProducerIsWokenForRoom {
    private final Rings ring = new Rings();

    public ProducerIsWokenForRoom() {
        for (int i = 1; i <= Rings.FULL; i++) ring.produce(i);
    }

    @Actor
    public void producer(ZZ_Result r) {
        ring.producer.announceWait();
        VarHandle.fullFence();
        r.r1 = ring.producer.hasRoom(RecordDescriptor.LINE);
    }

    @Actor
    public void consumer(ZZ_Result r) {
        boolean wakes = false;
        for (int i = 0; i < Rings.FULL; i++) wakes |= ring.leave();
        r.r2 = wakes;
    }
}
