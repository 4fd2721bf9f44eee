package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.PortablePlatform;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.Spawning;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// Rings of processes that have left. A parent and two children run in this thread, so that each can stop at an
/// exact point.
class AbandonedRingsTest {
    private static final String INVITATION = "1 2 4096 0 0 nowhere";

    private final Segment segment =
            new Segment(new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), 8, 2048, 4, 1 << 20, (at, bytes) -> {});
    private final Engine parent = engine(new Place(0, 1, 0));
    private final int first = segment.newProcesses(2, 1, "test");
    private final Engine elder = engine(new Place(0, 2, first));
    private final Engine younger = engine(new Place(1, 2, first));

    private Engine engine(Place place) {
        return new ShmEngine(
                segment,
                Bells.ofProcesses(segment, new PortablePlatform()),
                place,
                null,
                new JobFailure(),
                (process, code, why) -> {
                    throw new AssertionError("process " + process + " ends the job: " + why);
                },
                "shm",
                new IdleStrategy(1, 1),
                new ReentrantLock(),
                null);
    }

    private static CommPort union(Engine engine) {
        return Objects.requireNonNull(engine.power(Spawning.class)).meet(INVITATION);
    }

    private static Transfer start(Engine engine, CommPort port, Transfer.Kind kind, int peer) {
        Transfer t = engine.transfer().fill("test", port, kind, peer, 1, ElementType.LONG);
        engine.start(t.at(Memory.of(MemorySegment.ofArray(new long[1])), 0, 8));
        return t;
    }

    private static String unreceived(Engine engine) {
        return Objects.requireNonNull(engine.power(MessageAudit.class)).unreceived();
    }

    /// Checks for unreceived messages as `Mpi.close` does: before the rank leaves, and afterwards.
    @Test
    void receivedMessagesOfAFreedRingAreNotReported() {
        CommPort siblings = elder.communicators().world();
        start(elder, siblings, Transfer.Kind.SEND, 1);
        younger.await(start(younger, younger.communicators().world(), Transfer.Kind.RECV, 0));
        assertThat(unreceived(elder)).isNull();
        elder.job().leave();
        CommPort family = union(parent);
        start(younger, union(younger), Transfer.Kind.SEND, 0); // the new ring frees the elder's ring
        parent.await(start(parent, family, Transfer.Kind.RECV, 1));
        assertThat(unreceived(younger)).isNull();
        younger.job().leave();
        assertThat(unreceived(elder)).isNull();
    }

    @Test
    void unreceivedMessagesAreReportedAfterLaterSpawns() {
        CommPort family = union(parent);
        elder.job().leave();
        start(parent, family, Transfer.Kind.SEND, 0);
        start(parent, family, Transfer.Kind.SEND, 1);
        younger.await(start(younger, union(younger), Transfer.Kind.RECV, 0));
        assertThat(unreceived(parent)).startsWith("1 message was never received: 1 LONG to rank 0 of the remote group");
    }

    @Test
    void messagesOfADepartedSenderArriveAfterLaterSpawns() {
        CommPort family = union(parent);
        start(elder, union(elder), Transfer.Kind.SEND, 0);
        elder.job().leave();
        start(parent, family, Transfer.Kind.SEND, 1);
        Transfer late = start(parent, family, Transfer.Kind.RECV, 0);
        parent.await(late);
        assertThat(late.failure()).isNull();
    }
}
