package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.JobStatus;
import org.tutti.shm.progress.JobFailure;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Segment;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.MessageAudit;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A rank dies and the job continues. Three ranks run in this thread; the last one dies.
class RankDeathTest {
    private static final int DEAD = 2;
    private static final int LONG_BYTES = 1 << 20;

    private final Segment segment =
            new Segment(new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), 8, 2048, 4, 1 << 20, (at, bytes) -> {});
    private final JobFile file = new PortablePlatform().createFile("tutti-test", 1 << 20);
    private final JobStatus status = JobStatus.create(file, 3, false);
    private final Engine first = engine(0), second = engine(1), third = engine(DEAD);

    RankDeathTest() throws Exception {
        for (Engine e : new Engine[] {first, second, third})
            e.communicators().world().outlivesRanks(true);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private Engine engine(int rank) {
        return new ShmEngine(
                segment,
                Bells.ofProcesses(segment, new PortablePlatform()),
                new Place(rank, 3, 0),
                null,
                new JobFailure(),
                (process, code, why) -> {
                    throw new AssertionError("process " + process + " ends the job: " + why);
                },
                "shm",
                new IdleStrategy(1, 1),
                new ReentrantLock(),
                status);
    }

    private static Transfer start(Engine engine, Transfer.Kind kind, int peer, int bytes) {
        CommPort world = engine.communicators().world();
        Transfer t = engine.transfer().fill("test", world, kind, peer, 1, ElementType.BYTE);
        engine.start(t.at(Memory.of(MemorySegment.ofArray(new byte[bytes])), 0, bytes));
        return t;
    }

    private static void assertLost(Engine engine, Transfer t) {
        engine.await(t);
        assertThat(t.failure()).isInstanceOf(Fault.class).hasMessage("test: rank 2 has died (rank 0 of 3, WORLD)");
        Fault why = (Fault) Objects.requireNonNull(t.failure());
        assertThat(why.errorClass()).isEqualTo(PredefinedErrorClass.ERR_PROC_FAILED);
        assertThat(why.scope()).isEqualTo(Fault.Scope.MESSAGE);
    }

    @Test
    void onlyActivitiesWithTheDeadRankFail() {
        Transfer fromDead = start(first, Transfer.Kind.RECV, DEAD, 8);
        Transfer toDead = start(first, Transfer.Kind.SEND, DEAD, LONG_BYTES);
        Transfer fromLiving = start(first, Transfer.Kind.RECV, 1, 8);
        status.lose(DEAD, "was killed (SIGKILL)");
        assertLost(first, fromDead);
        assertLost(first, toDead);
        start(second, Transfer.Kind.SEND, 0, 8);
        first.await(fromLiving);
        assertThat(fromLiving.failure()).isNull();
        assertLost(first, start(first, Transfer.Kind.RECV, DEAD, 8));
        assertLost(first, start(first, Transfer.Kind.SEND, DEAD, LONG_BYTES));
        assertThat(first.job().poison()).isNull();
    }

    @Test
    void completeMessagesOfADeadRankAreReceived() {
        start(third, Transfer.Kind.SEND, 0, 8);
        start(third, Transfer.Kind.SEND, 0, LONG_BYTES);
        status.lose(DEAD, "was killed (SIGKILL)");
        Transfer whole = start(first, Transfer.Kind.RECV, DEAD, 8);
        first.await(whole);
        assertThat(whole.failure()).isNull();
        assertLost(first, start(first, Transfer.Kind.RECV, DEAD, LONG_BYTES));
        assertThat(Objects.requireNonNull(first.power(MessageAudit.class)).unreceived())
                .isNull();
    }

    @Test
    void aProbeOfAnySourceFailsOncePerDeath() {
        status.lose(DEAD, "was killed (SIGKILL)");
        CommPort world = first.communicators().world();
        Transfer any = first.transfer()
                .fill("probe", world, Transfer.Kind.RECV, Transfer.ANY_SOURCE, Transfer.ANY_TAG, ElementType.BYTE);
        assertThatThrownBy(() -> first.probe(any, true, false))
                .isInstanceOf(Fault.class)
                .hasMessage("probe: a rank has died that could send a message (rank 0 of 3, WORLD)");
        start(second, Transfer.Kind.SEND, 0, 8);
        assertThat(first.probe(any, true, false)).isTrue();
        assertThat(any.source).isEqualTo(1);
        first.await(start(first, Transfer.Kind.RECV, 1, 8));
    }

    @Test
    void aProbeOfALivingRankWaits() throws InterruptedException {
        status.lose(DEAD, "was killed (SIGKILL)");
        CommPort world = first.communicators().world();
        Transfer living =
                first.transfer().fill("probe", world, Transfer.Kind.RECV, 1, Transfer.ANY_TAG, ElementType.BYTE);
        Thread sender = Thread.ofPlatform().start(() -> {
            sleep();
            start(second, Transfer.Kind.SEND, 0, 8);
        });
        assertThat(first.probe(living, true, false)).isTrue();
        sender.join();
        first.await(start(first, Transfer.Kind.RECV, 1, 8));
        Transfer any = first.transfer()
                .fill("probe", world, Transfer.Kind.RECV, Transfer.ANY_SOURCE, Transfer.ANY_TAG, ElementType.BYTE);
        assertThatThrownBy(() -> first.probe(any, true, false)).isInstanceOf(Fault.class);
    }

    /// Gives the probe time to begin the wait.
    private static void sleep() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failsTogetherFailsWaitsForLivingRanks() {
        CommPort world = first.communicators().world();
        world.failsTogether(true);
        Transfer fromLiving = start(first, Transfer.Kind.RECV, 1, 8);
        start(second, Transfer.Kind.SEND, 0, 8);
        first.await(fromLiving);
        assertThat(fromLiving.failure()).isNull();
        Transfer waits = start(first, Transfer.Kind.RECV, 1, 8);
        status.lose(DEAD, "was killed (SIGKILL)");
        assertLost(first, waits);
        assertLost(first, start(first, Transfer.Kind.RECV, 1, 8));
        assertLost(first, start(first, Transfer.Kind.RECV, Transfer.ANY_SOURCE, 8));
        Transfer probe =
                first.transfer().fill("probe", world, Transfer.Kind.RECV, 1, Transfer.ANY_TAG, ElementType.BYTE);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> first.probe(probe, true, false)).isInstanceOf(Fault.class);
        }
        assertThat(first.job().poison()).isNull();
    }

    @Test
    void failsTogetherRefusesPendingSends() {
        for (Engine e : new Engine[] {first, second}) e.communicators().world().failsTogether(true);
        Transfer early = start(second, Transfer.Kind.SEND, 0, LONG_BYTES);
        Transfer toItself = start(first, Transfer.Kind.SEND, 0, LONG_BYTES);
        status.lose(DEAD, "was killed (SIGKILL)");
        assertLost(first, start(first, Transfer.Kind.RECV, DEAD, 8));
        Transfer late = start(second, Transfer.Kind.SEND, 0, LONG_BYTES);
        Transfer whole = start(second, Transfer.Kind.SEND, 0, 8);
        Transfer lateToItself = start(first, Transfer.Kind.SEND, 0, 8);
        Transfer toSecond = start(first, Transfer.Kind.SEND, 1, LONG_BYTES);
        second.await(start(second, Transfer.Kind.RECV, DEAD, 8)); // detects the death
        // this thread runs both ranks, so it tests both in turn
        while (!first.test(toSecond) | !second.test(late)) Thread.onSpinWait();
        assertThat(whole.failure()).isNull();
        for (Transfer t : new Transfer[] {early, late}) assertRefused(t, 0, 1);
        for (Transfer t : new Transfer[] {toItself, lateToItself}) assertRefused(t, 0, 0);
        assertRefused(toSecond, 1, 0);
        assertThat(Objects.requireNonNull(first.power(MessageAudit.class)).unreceived())
                .isNull();
        for (Engine e : new Engine[] {first, second})
            assertThat(e.job().poison()).isNull();
    }

    private static void assertRefused(Transfer t, int receiver, int sender) {
        assertThat(t.failure())
                .isInstanceOf(Fault.class)
                .hasMessage("test: rank " + receiver
                        + " has stopped receiving on this communicator because a rank has died (rank " + sender
                        + " of 3, WORLD)");
    }

    @Test
    void aCollectiveCallFailsOnAllLivingRanks() {
        status.lose(DEAD, "was killed (SIGKILL)");
        for (Engine e : new Engine[] {first, second}) {
            assertThat(e.test(start(e, Transfer.Kind.RECV, DEAD, 8))).isTrue(); // detects the death
            var barrier = e.collective();
            barrier.fill("barrier", e.communicators().world(), Collective.Kind.BARRIER, 0);
            e.run(barrier);
            assertThat(barrier.failure()).isInstanceOf(Fault.class).hasMessageContaining("rank 2 has died");
            assertThat(e.job().poison()).isNull();
        }
    }

    /// After a call is abandoned, the program may reuse the memory, although data is still in transit.
    @Test
    void noDataArrivesInMemoryOfAnAbandonedCall() {
        byte[] result = new byte[3 * LONG_BYTES];
        Collective gathers = gather(first, result), gives = gather(second, new byte[0]);
        first.start(gathers);
        second.start(gives);
        for (int i = 0; i < 3; i++)
            assertThat(first.test(gathers) | second.test(gives)).isFalse();
        assertThat(result[LONG_BYTES]).as("the first part has arrived").isEqualTo((byte) 1);
        status.lose(DEAD, "was killed (SIGKILL)");
        // in turn: each rank checks for deaths when there is no progress
        while (!first.test(gathers)) Thread.onSpinWait();
        while (!second.test(gives)) Thread.onSpinWait();
        assertThat(gathers.failure()).isInstanceOf(Fault.class).hasMessageContaining("rank 2 has died");
        Arrays.fill(result, (byte) 7);
        gives.send.memory.segment().fill((byte) 8);
        Transfer last = start(second, Transfer.Kind.SEND, 0, 8), got = start(first, Transfer.Kind.RECV, 1, 8);
        while (!first.test(got) | !second.test(last)) Thread.onSpinWait();
        for (int i = 0; i < 10_000; i++) {
            move(first);
            move(second);
        }
        for (byte b : result) if (b != 7) throw new AssertionError("a byte that arrived later: " + b);
        for (Engine e : new Engine[] {first, second})
            assertThat(e.job().poison()).isNull();
    }

    private static void move(Engine engine) {
        CommPort world = engine.communicators().world();
        Transfer pattern =
                engine.transfer().fill("probe", world, Transfer.Kind.RECV, Transfer.ANY_SOURCE, 9, ElementType.BYTE);
        assertThat(engine.probe(pattern, false, false)).isFalse();
    }

    /// Starts a gather of a block filled with the rank's number.
    private static Collective gather(Engine engine, byte[] result) {
        CommPort world = engine.communicators().world();
        byte[] block = new byte[LONG_BYTES];
        Arrays.fill(block, (byte) world.rank());
        Collective c = engine.collective();
        c.fill("gather", world, Collective.Kind.GATHER, 0);
        c.form = Collective.Form.NONBLOCKING;
        c.send.memory = Memory.ofArray(block);
        c.send.count = LONG_BYTES;
        c.recv.memory = Memory.ofArray(result);
        c.recv.count = LONG_BYTES;
        return c;
    }

    @Test
    void aDeathOnOtherCommunicatorsFailsTheJob() {
        first.communicators().world().outlivesRanks(false);
        Transfer fromDead = start(first, Transfer.Kind.RECV, DEAD, 8);
        status.lose(DEAD, "was killed (SIGKILL)");
        first.await(fromDead);
        assertThat(fromDead.failure()).isInstanceOf(Fault.class);
        assertThat(((Fault) Objects.requireNonNull(fromDead.failure())).scope()).isEqualTo(Fault.Scope.JOB);
        assertThat(first.job().poison()).isNotNull();
    }
}
