package org.tutti.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.FlightRing;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A rank polls if its thread only tests repeatedly.
class PollWatchTest {
    private static final long ROUND_NANOS = 20_000_000;

    private final CommPort world = new CommPort(0, 2, "WORLD") {
        @Override
        public int worldRank(int rank) {
            return rank;
        }
    };
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final Callers callers = new Callers(FlightRing.ofThisProcess());
    private final PollWatch watch = new PollWatch(callers, false, before::contains);
    private volatile boolean isOver;
    private @Nullable Thread thread;

    @AfterEach
    void end() throws InterruptedException {
        isOver = true;
        if (thread != null) thread.join();
    }

    private void poll(Runnable between) {
        Transfer t = new Transfer() {};
        t.fill("irecv", world, Transfer.Kind.RECV, 1, 7, ElementType.INT);
        thread = Thread.ofPlatform().start(() -> {
            while (!isOver) {
                callers.polls(t);
                between.run();
            }
        });
        while (callers.poller == null) Thread.onSpinWait();
    }

    private @Nullable BlockedCall look(long moves) {
        watch.readThreads(List.of());
        return watch.look(moves);
    }

    /// Returns the report after several rounds in which the rank has received no message.
    private @Nullable BlockedCall told(int rounds) {
        BlockedCall told = look(1);
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(ROUND_NANOS);
            told = look(1);
        }
        return told;
    }

    private BlockedCall awaitTold() {
        for (int i = 0; i < 200; i++) {
            BlockedCall told = told(2);
            if (told != null) return told;
        }
        throw new AssertionError("it does not poll");
    }

    @Test
    void aLoopAroundTestPolls() {
        poll(Thread::onSpinWait);
        BlockedCall told = awaitTold();
        assertThat(told.what()).isEqualTo("polls irecv(source=1, tag=7) on WORLD");
        assertThat(told.isPolled()).isTrue();
        assertThat(told.wakers().stream()).containsExactly(1);
    }

    @Test
    void aLoopThatSleepsPolls() {
        poll(() -> LockSupport.parkNanos(100_000));
        assertThat(awaitTold().what()).startsWith("polls irecv");
    }

    @Test
    void aWorkerThatPollsForItsNextTaskIsNotTold() {
        world.idle(true);
        poll(Thread::onSpinWait);
        for (int i = 0; i < 20; i++) assertThat(told(1)).isNull();
        world.idle(false);
        assertThat(awaitTold().what()).startsWith("polls irecv");
    }

    @Test
    void whoComputesBetweenTestsDoesNotPoll() {
        poll(() -> {
            long end = System.nanoTime() + 1_000_000;
            while (System.nanoTime() - end < 0) Thread.onSpinWait();
        });
        for (int i = 0; i < 20; i++) assertThat(told(1)).isNull();
    }

    @Test
    void progressIsNoPolling() {
        poll(Thread::onSpinWait);
        awaitTold();
        for (int moves = 2; moves < 5; moves++) {
            LockSupport.parkNanos(ROUND_NANOS);
            assertThat(look(moves)).isNull();
        }
    }

    @Test
    void aThreadThatHasEndedIsNotKept() throws InterruptedException {
        poll(Thread::onSpinWait);
        awaitTold();
        isOver = true;
        if (thread != null) thread.join();
        assertThat(look(1)).isNull();
        assertThat(callers.poller).isNull();
        assertThat(callers.polled).isNull();
    }

    /// The call tests several requests in turn.
    @Test
    void aThreadThatIsBlockedInACallDoesNotPoll() {
        AtomicReference<Caller> caller = new AtomicReference<>();
        poll(() -> caller.set(callers.mine()));
        awaitTold();
        watch.readThreads(List.of(caller.get()));
        assertThat(watch.look(1)).isNull();
    }
}
