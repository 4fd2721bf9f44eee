package org.tutti.lab.stress.interleaving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Random programs under random schedules; see [Interleaving]. `-Pfull` runs a million schedules.
/// `-Dtutti.interleaving.schedules=N` sets the number, `-Dtutti.interleaving.first=N` the first seed.
class InterleavingTest {
    private static final long FIRST = Long.getLong("tutti.interleaving.first", 1);
    private static final long SCHEDULES = Long.getLong("tutti.interleaving.schedules", schedules());

    private static long schedules() {
        if (Boolean.getBoolean("tutti.full")) return 1_000_000;
        return Boolean.getBoolean("tutti.ci") ? 8_000 : 1_000;
    }

    private static Throwable failureOf(Interleaving all, long seed) {
        try {
            all.run(seed);
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    @Test
    void legalProgramsEndWithTheRightValuesUnderEverySchedule() {
        Interleaving all = new Interleaving(ScheduledMemory::new);
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
            Throwable why = failureOf(all, seed);
            if (why == null) continue;
            throw new AssertionError(
                    "schedule " + seed + " of " + InterleavedProgram.of(seed)
                            + " failed; again: ./mvnw test -pl :tutti-lab -am"
                            + " -Dtest=InterleavingTest -Dsurefire.failIfNoSpecifiedTests=false -Dtutti.interleaving.first="
                            + seed + " -Dtutti.interleaving.schedules=1",
                    why);
        }
        all.stop();
    }

    @Test
    void aSeedIsOneSchedule() throws Throwable {
        Interleaving all = new Interleaving(ScheduledMemory::new);
        for (long seed = 1; seed <= 200; seed++) {
            long points = all.run(seed);
            assertThat(all.run(seed)).as("points of schedule %d", seed).isEqualTo(points);
        }
        all.stop();
    }

    /// Faulty memory, in which bytes become visible only after the store that announces the bytes.
    private static final class EarlyPublication extends ScheduledMemory {
        private final List<Runnable> delayed = new ArrayList<>();

        EarlyPublication(MemorySegment segment, Scheduler scheduler) {
            super(segment, scheduler);
        }

        @Override
        public void put(MemorySegment from, long fromAt, long at, long bytes) {
            MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
            MemorySegment.copy(from, fromAt, copy, 0, bytes);
            delayed.add(() -> super.put(copy, 0, at, bytes));
        }

        @Override
        public void setLongRelease(long at, long value) {
            super.setLongRelease(at, value);
            List<Runnable> now = List.copyOf(delayed);
            delayed.clear();
            now.forEach(Runnable::run);
        }
    }

    @Test
    void earlyPublicationIsDetectedRepeatably() {
        Interleaving faulty = new Interleaving(EarlyPublication::new);
        long found = LongStream.range(1, 10_000)
                .filter(seed -> failureOf(faulty, seed) != null)
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> faulty.run(found))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching(".*element \\d+ is \\d+, not \\d+");
    }
}
