package org.tutti.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.status.BlockedCall;
import org.tutti.job.status.FlightRing;
import org.tutti.job.status.WaitReporter;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommCreation;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Transfer;
import org.tutti.spi.WaitInsight;
import org.tutti.spi.type.ElementType;

/// Reports on threads that wait in calls of a native library.
class BlockedCallReporterTest {
    private static final int RANKS = 3, ROUNDS = 9;

    private final CommPort world = new CommPort(0, RANKS, "WORLD") {
        @Override
        public int worldRank(int rank) {
            return rank;
        }
    };
    private final FlightRing ring = FlightRing.ofThisProcess();
    private final Callers callers = new Callers(ring);
    private final List<BlockedCall> reported = new ArrayList<>();
    private long others;
    private final BlockedCallReporter reporter = reporter(null, t -> false);

    private BlockedCallReporter reporter(@Nullable WaitInsight insight, Predicate<Thread> isForeign) {
        WaitReporter teller = new WaitReporter() {
            @Override
            public void pulse(long moves) {}

            @Override
            public void write(long moves, long mayCall, List<BlockedCall> waits) {
                others = mayCall;
                reported.clear();
                reported.addAll(waits);
            }
        };
        return new BlockedCallReporter(
                callers, ring, teller, LocalWait.LineTexts.NONE, world, insight, isForeign, () -> 0, activity -> "");
    }

    private final List<Thread> waiting = new ArrayList<>();
    private volatile boolean isOver;

    @AfterEach
    void end() throws InterruptedException {
        isOver = true;
        for (Thread t : waiting) {
            LockSupport.unpark(t);
            t.join();
        }
    }

    private interface Entry {
        void enter(Caller caller);
    }

    /// Returns a thread in a call, which either polls continuously or gets no processor time.
    private Thread waits(Entry entry, boolean polls) throws InterruptedException {
        CountDownLatch isIn = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().start(() -> {
            entry.enter(callers.mine());
            isIn.countDown();
            while (!isOver) {
                if (polls) Thread.onSpinWait();
                else LockSupport.park();
            }
        });
        waiting.add(thread);
        isIn.await();
        while (!polls && thread.getState() != Thread.State.WAITING) Thread.onSpinWait();
        return thread;
    }

    private Transfer receive() {
        return receive(4);
    }

    private Transfer receive(long bytes) {
        Transfer t = new Transfer() {};
        t.fill("recv", world, Transfer.Kind.RECV, 1, 7, ElementType.INT);
        t.lengthBytes = bytes;
        return t;
    }

    private Activity call(Collective.Kind kind) {
        Collective c = new Collective() {};
        return c.fill(kind.name(), world, kind, 0);
    }

    /// Returns the reported number of polls of a thread after several rounds, each with ample processor time.
    private long polls(Thread thread, boolean hasTime) {
        return polls(thread, hasTime ? 1_000_000 : 0);
    }

    /// @param nanos the processor time of a round
    private long polls(Thread thread, long nanos) {
        for (int round = 0; round <= ROUNDS; round++) {
            reporter.run();
            long before = ThreadTime.usedNanos(thread);
            while (ThreadTime.usedNanos(thread) - before < nanos) Thread.onSpinWait();
        }
        assertThat(reported).hasSize(1);
        return reported.getFirst().polls();
    }

    @Test
    void runningThreadPollsInEachRound() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, receive()), true), true)).isEqualTo(ROUNDS);
    }

    @Test
    void threadWithoutProcessorTimeHasNotPolled() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, receive()), false), false)).isOne();
    }

    /// A message of 1 GiB can take 21 s: more processor time than the waiting thread uses in this test.
    @Test
    void longMessageMayBeMovedDuringAPoll() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, receive(1L << 30)), true), true))
                .isOne();
    }

    /// A message of 2 MiB can take 42 ms.
    @Test
    void longMessageHasArrivedAfterLongPolls() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, receive(2 << 20)), true), 45_000_000))
                .isEqualTo(ROUNDS);
    }

    @Test
    void callsOfSeveralRoundsCountOnePoll() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, new CommCreation("dup", world, 1)), true), true))
                .isOne();
        assertThat(reported.getFirst().what()).isEqualTo("dup() on WORLD, call 1");
    }

    @Test
    void barrierIsKnownByTheCallersRanks() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, call(Collective.Kind.BARRIER)), true), true))
                .isOne();
    }

    @Test
    void chainOfRanksTakesOnePollOfEach() throws InterruptedException {
        assertThat(polls(waits(c -> c.enters(1, call(Collective.Kind.GATHER)), true), true))
                .isEqualTo(1 + (ROUNDS - 1) / RANKS);
    }

    @Test
    void waitForOtherThreadsNeedsNoPolls() throws InterruptedException {
        LocalWait parts = new LocalWait() {
            @Override
            public String operation() {
                return "await";
            }

            @Override
            public String what() {
                return "await of parts";
            }

            @Override
            public boolean isOver() {
                return false;
            }

            @Override
            public boolean completesByMessages() {
                return false;
            }
        };
        assertThat(polls(waits(c -> c.enters(1, parts), false), false)).isEqualTo(ROUNDS);
    }

    /// An engine with waiting threads that poll continuously.
    private static class Looking implements WaitInsight {
        final ReentrantLock progress = new ReentrantLock();

        @Override
        public void whileStill(Runnable report) {
            progress.lock();
            report.run();
            progress.unlock();
        }

        @Override
        public long moves() {
            return 0;
        }

        @Override
        public long polls(Thread thread) {
            return 1;
        }

        @Override
        public @Nullable Transfer waitingFor(Collective call) {
            return null;
        }

        @Override
        public List<Collective> underWay() {
            return List.of();
        }

        @Override
        public String reason(Transfer send) {
            return "";
        }
    }

    @Test
    void threadsAreExaminedWithoutTheProgressLock() throws InterruptedException {
        Looking engine = new Looking();
        List<Boolean> held = new ArrayList<>();
        BlockedCallReporter careful = reporter(engine, t -> {
            held.add(engine.progress.isLocked());
            return false;
        });
        waits(c -> c.enters(1, receive()), false);
        for (int round = 0; round < 2; round++) careful.run();
        assertThat(reported).hasSize(1);
        assertThat(held).isNotEmpty().doesNotContain(true);
    }

    @Test
    void aThreadThatReturnsBeforeTheReportMayCall() throws InterruptedException {
        AtomicReference<Caller> returning = new AtomicReference<>();
        Looking engine = new Looking() {
            @Override
            public void whileStill(Runnable report) {
                if (returning.get() != null) returning.get().leaves();
                super.whileStill(report);
            }
        };
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        BlockedCallReporter other = reporter(engine, before::contains);
        waits(c -> c.enters(1, receive()), false);
        waits(c -> c.enters(2, receive()), false);
        for (int round = 0; round < 2; round++) other.run();
        assertThat(reported).hasSize(2);
        assertThat(others).isZero();
        returning.set(callers.inCalls().getFirst());
        other.run();
        assertThat(reported).hasSize(1);
        assertThat(others).isOne();
    }

    @Test
    void waitForWorkIsNotReported() throws InterruptedException {
        waits(c -> c.enters(1, receive()), true);
        for (int round = 0; round <= ROUNDS; round++) reporter.run();
        assertThat(reported).hasSize(1);
        world.idle(true);
        reporter.run();
        assertThat(reported).isEmpty();
    }
}
