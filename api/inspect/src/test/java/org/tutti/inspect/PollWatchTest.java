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

/// A rank counts as polling if a thread calls `test` on requests repeatedly, and makes no other call.
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

    private @Nullable BlockedCall poll(long moves) {
        watch.readThreads(List.of());
        return watch.poll(moves);
    }

    /// Returns the report after several rounds in which the rank has received no message.
    private @Nullable BlockedCall reported(int rounds) {
        BlockedCall reported = poll(1);
        for (int i = 0; i < rounds; i++) {
            LockSupport.parkNanos(ROUND_NANOS);
            reported = poll(1);
        }
        return reported;
    }

    private BlockedCall awaitReported() {
        for (int i = 0; i < 200; i++) {
            BlockedCall reported = reported(2);
            if (reported != null) return reported;
        }
        throw new AssertionError("it does not poll");
    }

    @Test
    void aLoopAroundTestPolls() {
        poll(Thread::onSpinWait);
        BlockedCall reported = awaitReported();
        assertThat(reported.what()).isEqualTo("polls irecv(source=1, tag=7) on WORLD");
        assertThat(reported.isPolled()).isTrue();
        assertThat(reported.wakers().stream()).containsExactly(1);
    }

    @Test
    void aLoopThatSleepsPolls() {
        poll(() -> LockSupport.parkNanos(100_000));
        assertThat(awaitReported().what()).startsWith("polls irecv");
    }

    @Test
    void workerPollingForATaskIsNotReported() {
        world.idle(true);
        poll(Thread::onSpinWait);
        for (int i = 0; i < 20; i++) assertThat(reported(1)).isNull();
        world.idle(false);
        assertThat(awaitReported().what()).startsWith("polls irecv");
    }

    @Test
    void computationBetweenTestsIsNotPolling() {
        poll(() -> {
            long end = System.nanoTime() + 1_000_000;
            while (System.nanoTime() - end < 0) Thread.onSpinWait();
        });
        for (int i = 0; i < 20; i++) assertThat(reported(1)).isNull();
    }

    @Test
    void progressIsNoPolling() {
        poll(Thread::onSpinWait);
        awaitReported();
        for (int moves = 2; moves < 5; moves++) {
            LockSupport.parkNanos(ROUND_NANOS);
            assertThat(poll(moves)).isNull();
        }
    }

    @Test
    void terminatedThreadIsRemoved() throws InterruptedException {
        poll(Thread::onSpinWait);
        awaitReported();
        isOver = true;
        if (thread != null) thread.join();
        assertThat(poll(1)).isNull();
        assertThat(callers.poller).isNull();
        assertThat(callers.polled).isNull();
    }

    /// A blocking call can test several requests in turn.
    @Test
    void aThreadThatIsBlockedInACallDoesNotPoll() {
        AtomicReference<Caller> caller = new AtomicReference<>();
        poll(() -> caller.set(callers.mine()));
        awaitReported();
        watch.readThreads(List.of(caller.get()));
        assertThat(watch.poll(1)).isNull();
    }
}
