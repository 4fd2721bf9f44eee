package org.tutti.job.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;

class WaitPageTest {
    private JobFile file;
    private WaitPage page;
    private WaitPage neighbour;

    @BeforeEach
    void create() throws Exception {
        file = new PortablePlatform().createFile("tutti-test", 1 << 20);
        JobStatus status = JobStatus.create(file, 3, true);
        page = status.waits(1);
        neighbour = status.waits(2);
    }

    @AfterEach
    void close() throws Exception {
        file.close();
    }

    private static BlockedCall wait(String what, int... wakers) {
        BitSet set = new BitSet();
        for (int w : wakers) set.set(w);
        return new BlockedCall("recv", what, "A.java:41", false, 123_456_789_012L, 7, set);
    }

    @Test
    void readsThePage() {
        List<BlockedCall> waits = List.of(wait("recv(source=1, tag=ä) on WORLD", 1), wait("", 0, 2, 300));
        page.write(5, 2, waits);
        page.pulse(9);
        assertThat(page.read()).isEqualTo(new WaitPage.Seen(9, 5, 2, waits));
        assertThat(neighbour.read()).isEqualTo(new WaitPage.Seen(0, 0, 0, List.of()));
        page.write(6, 0, List.of());
        assertThat(page.read()).isEqualTo(new WaitPage.Seen(9, 6, 0, List.of()));
    }

    @Test
    void readsTheCallThatAWaitIsPartOf() {
        BitSet needs = new BitSet();
        needs.set(1, 100);
        List<BlockedCall> waits = List.of(
                new BlockedCall(
                        "barrier", "barrier()", "", false, 1, 2, new BitSet(), new BlockedCall.Call(-5, 7, needs)),
                new BlockedCall("recv", "recv()", "", false, 1, 2, needs, BlockedCall.Call.MESSAGES));
        page.write(5, 2, waits);
        assertThat(page.read()).isEqualTo(new WaitPage.Seen(0, 5, 2, waits));
    }

    @Test
    void countsWaitsThatDoNotFit() {
        page.write(1, 1, Collections.nCopies(100, wait("recv".repeat(100), 1)));
        WaitPage.Seen seen = page.read();
        assertThat(seen).isNotNull();
        assertThat(seen.waits()).isNotEmpty();
        assertThat(seen.otherThreads()).isEqualTo(1 + 100 - seen.waits().size());
        assertThat(neighbour.read()).isEqualTo(new WaitPage.Seen(0, 0, 0, List.of()));
    }

    @Test
    void truncatesLongTexts() {
        page.write(1, 0, List.of(wait("x".repeat(5000), 1)));
        assertThat(page.read().waits().getFirst().what()).startsWith("xxx").endsWith("…");
    }

    @Test
    void neverShowsAHalfWrittenPage() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; !done.get(); i++) page.write(i % 5, 0, Collections.nCopies(i % 5, wait("w" + i % 5, 1)));
        });
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            WaitPage.Seen seen = page.read();
            if (seen == null) continue;
            read++;
            assertThat(seen.waits()).hasSize((int) seen.moves());
            for (BlockedCall w : seen.waits()) assertThat(w.what()).isEqualTo("w" + seen.moves());
        }
        done.set(true);
        writer.join();
        assertThat(read).isPositive();
    }
}
