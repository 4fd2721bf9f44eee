package org.tutti.shm.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.PortablePlatform;

class BellsTest {
    private static final long LONG_SLEEP = TimeUnit.SECONDS.toNanos(600);

    /// A ping-pong that uses only two counters and the handshake of [Bells]. After a lost wake-up, a thread
    /// would sleep for ten minutes, which is longer than the timeout.
    @Test
    @Timeout(300)
    void noWakeUpIsLost() throws Exception {
        Bells bells = Bells.ofThreads(Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto()));
        AtomicInteger[] counters = {new AtomicInteger(), new AtomicInteger()};
        int rounds = 50_000;
        Thread other = Thread.ofPlatform().start(() -> play(bells, counters, 1, rounds));
        play(bells, counters, 0, rounds);
        other.join();
        assertThat(counters[0].get()).isEqualTo(rounds);
        assertThat(counters[1].get()).isEqualTo(rounds);
    }

    private static void play(Bells bells, AtomicInteger[] counters, int me, int rounds) {
        for (int i = 1; i <= rounds; i++) {
            if (me == 0) {
                counters[0].setOpaque(i);
                bells.ring(1);
            }
            await(bells, counters[1 - me], me, i);
            if (me == 1) {
                counters[1].setOpaque(i);
                bells.ring(0);
            }
        }
    }

    private static void await(Bells bells, AtomicInteger counter, int me, int value) {
        while (counter.getOpaque() < value) {
            int bell = bells.announce(me);
            try {
                if (counter.getOpaque() < value) bells.sleep(me, bell, LONG_SLEEP);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                bells.rise(me);
            }
        }
    }

    @Test
    void noProcessSleepsOnceOneCannotWake() throws Exception {
        Segment segment = Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto());
        FakeNativePlatform platform = new FakeNativePlatform();
        Bells sleeper = Bells.ofProcesses(segment, platform);
        Bells.ofProcesses(segment, new FakeNativePlatform());
        assertThat(sleeper.canSleep()).isTrue();
        Bells.ofProcesses(segment, new PortablePlatform());
        assertThat(sleeper.canSleep()).isFalse();
        assertThat(platform.canSleep()).isTrue();
    }

    @Test
    void noProcessSleepsOnceAWakeIsRefused() throws Exception {
        Segment segment = Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto());
        FakeNativePlatform refused = new FakeNativePlatform();
        Bells sleeper = Bells.ofProcesses(segment, new FakeNativePlatform());
        Bells waker = Bells.ofProcesses(segment, refused);
        refused.isRefused = true;
        sleeper.announce(0);
        assertThat(sleeper.canSleep()).isTrue();
        waker.ring(0);
        assertThat(sleeper.canSleep()).isFalse();
    }

    /// A platform whose calls have no effect.
    private static final class FakeNativePlatform implements OsPlatform {
        private boolean isRefused;

        @Override
        public String name() {
            return "fake";
        }

        @Override
        public boolean usable() {
            return true;
        }

        @Override
        public JobFile createFile(String label, long bytes) throws IOException {
            throw new IOException("no file");
        }

        @Override
        public void prepare() {}

        @Override
        public boolean canSleep() {
            return true;
        }

        @Override
        public boolean canWake() {
            return !isRefused;
        }

        @Override
        public void sleep(MemorySegment memory, long offset, int expected, long nanos) {}

        @Override
        public void wake(MemorySegment memory, long offset) {}

        @Override
        public void dieWithParent(long parentPid) {}

        @Override
        public boolean canBind() {
            return false;
        }

        @Override
        public void bindThread(BitSet cpus) throws IOException {
            throw new IOException("no binding");
        }
    }

    @Test
    void theTotalSizeOfRingsIsBounded() throws Exception {
        for (int size : new int[] {2, 3, 8, 32, 128}) {
            long all = (long) Segment.ofThisProcess(new PortablePlatform(), size, Arena.ofAuto())
                            .ringBytes()
                    * size
                    * size;
            assertThat(all).as("%d ranks", size).isLessThanOrEqualTo(32L << 20);
        }
    }

    @Test
    void extentsDoNotOverlap() throws Exception {
        Segment s = Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto());
        long a = s.extent(100, "test"), b = s.extent(5000, "test"), c = s.extent(1, "test");
        assertThat(a % 64).isZero();
        assertThat(b % 4096).isZero();
        assertThat(b).isGreaterThanOrEqualTo(a + 100);
        assertThat(c).isGreaterThanOrEqualTo(b + 5000);
    }
}
