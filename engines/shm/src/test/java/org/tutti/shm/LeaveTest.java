package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Obligations of a leaving rank. The two ranks run in this thread, so that each can stop at an exact point.
class LeaveTest {
    private static final int RING_BYTES = 2048, LINE = 64;

    private final Segment segment = new Segment(
            new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), 2, RING_BYTES, 4, 1 << 20, (at, bytes) -> {});
    private final Engine leaver = engine(0);
    private final Engine other = engine(1);

    private Engine engine(int rank) {
        Bells bells = Bells.ofProcesses(segment, new PortablePlatform());
        ShmEngine.Ending noAbort = (process, code, why) -> {
            throw new AssertionError("rank " + process + " ends the job: " + why);
        };
        return new ShmEngine(
                segment,
                bells,
                new Place(rank, 2, 0),
                null,
                new JobFailure(),
                noAbort,
                "shm",
                new IdleStrategy(1, 1),
                new ReentrantLock(),
                null);
    }

    private static Transfer start(Engine engine, Transfer.Kind kind, int tag, boolean synchronous) {
        Transfer t = engine.transfer();
        int peer = 1 - engine.communicators().world().rank();
        t.fill("test", engine.communicators().world(), kind, peer, tag, ElementType.LONG);
        t.at(Memory.of(MemorySegment.ofArray(new long[1])), 0, 8);
        t.synchronous = synchronous;
        engine.start(t);
        return t;
    }

    @Test
    void aSynchronousSendCompletesAfterItsReceiverLeft() {
        Transfer send = start(other, Transfer.Kind.SEND, 1, true);
        List<Transfer> inRing = new ArrayList<>();
        // fill the ring up to the line that follows the last record, so that there is no space for an answer
        for (int i = 0; i < RING_BYTES / LINE - 1; i++) inRing.add(start(leaver, Transfer.Kind.SEND, 2, false));
        assertThat(inRing).allMatch(Transfer::isDone);
        Transfer receive = start(leaver, Transfer.Kind.RECV, 1, false);
        leaver.await(receive);
        assertThat(leaver.power(MessageAudit.class).unreceived()).isNull();
        leaver.job().leave();

        for (int i = 0; i < inRing.size(); i++) other.await(start(other, Transfer.Kind.RECV, 2, false));
        other.await(send);
        assertThat(send.failure()).isNull();
        assertThat(other.power(MessageAudit.class).unreceived()).isNull();
    }

    /// A rank waits for a window's lock. The other rank passed the lock on before it left, but only a second
    /// check shows this.
    @Test
    void aDepartedRankIsNotBlamedForAPassedLock() {
        leaver.job().leave();
        AtomicInteger polls = new AtomicInteger();
        other.await(new LocalWait() {
            @Override
            public String operation() {
                return "lock";
            }

            @Override
            public String what() {
                return "lock(SHARED, target=1)";
            }

            @Override
            public boolean isOver() {
                return polls.get() >= 3;
            }

            @Override
            public boolean completesByMessages() {
                return true;
            }

            @Override
            public int[] awaited() {
                return polls.getAndIncrement() < 2 ? new int[] {0} : new int[0]; // once when the wait begins
            }

            @Override
            public CommPort port() {
                return other.communicators().world();
            }
        });
        assertThat(polls).hasValueGreaterThanOrEqualTo(3);
    }
}
