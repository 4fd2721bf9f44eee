package org.tutti.shm.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedNotesTest {
    private static final int PROCESSES = 3;

    private final Segment segment = new Segment(
            new Shared(Arena.ofAuto().allocate(1 << 20, 4096)), PROCESSES, 2048, 4, 1 << 20, (at, bytes) -> {});
    private final List<SharedNotes> notes =
            List.of(new SharedNotes(segment, 0), new SharedNotes(segment, 1), new SharedNotes(segment, 2));

    @Test
    void aNoteIsValidUntilWithdrawalOrExitOfItsOwner() {
        assertThat(notes.get(0).add("größe", "7", "test")).isTrue();
        assertThat(notes.get(1).add("größe", "8", "test")).isFalse();
        assertThat(notes.get(1).add("größer", "9", "test")).isTrue();
        assertThat(notes.get(2).find("größe")).isEqualTo("7");
        assertThat(notes.get(2).find("größ")).isNull();
        assertThat(notes.get(0).withdraw("größe")).isTrue();
        assertThat(notes.get(0).withdraw("größe")).isFalse();
        assertThat(notes.get(2).find("größe")).isNull();
        assertThat(notes.get(1).add("größe", "", "test")).isTrue();
        assertThat(notes.get(2).find("größe")).isEmpty();
        segment.leave(1);
        assertThat(notes.get(2).find("größe")).isNull();
        assertThat(notes.get(2).find("größer")).isNull();
    }

    @Test
    void oneOfSeveralConcurrentAdditionsOfAKeySucceeds() throws Exception {
        int keys = 300;
        AtomicInteger[] won = new AtomicInteger[keys];
        for (int k = 0; k < keys; k++) won[k] = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(PROCESSES);
        Thread[] threads = new Thread[PROCESSES];
        for (int t = 0; t < PROCESSES; t++) {
            SharedNotes own = notes.get(t);
            threads[t] = Thread.ofPlatform().start(() -> {
                try {
                    for (int k = 0; k < keys; k++) {
                        together.await();
                        if (own.add("key " + k, "", "test")) won[k].incrementAndGet();
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
        for (Thread t : threads) t.join();
        assertThat(won).allMatch(n -> n.get() == 1);
    }
}
