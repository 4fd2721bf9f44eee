package org.tutti.job.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.job.status.FlightRing.Kind;
import org.tutti.job.status.FlightRing.State;

class FlightExcerptTest {
    private static final long WORLD = 1;

    private final FlightRing ring = FlightRing.ofThisProcess();

    private void send(String line, int tag, State state) {
        long head = FlightRing.head(ring.text("send"), ring.text(line), ring.comm(WORLD, "WORLD"), Kind.SEND, 3);
        ring.begin(head, state, 11, 5L << 32 | tag, 80, 0, tag);
    }

    @Test
    void operationsAreDecodedAsEncoded() throws Exception {
        send("A.java:7", 3, State.DONE);
        send("Ä.java:8", 4, State.CALLED);
        FlightExcerpt excerpt = FlightExcerpt.read(FlightExcerpt.bytes(ring, 9), 0);
        assertThat(excerpt).isEqualTo(new FlightExcerpt(9, ring.read()));
        assertThat(excerpt.entries()).extracting(Entry::line).containsExactly("A.java:7", "Ä.java:8");
        assertThat(FlightExcerpt.read(FlightExcerpt.bytes(ring, 9), 1000).entries())
                .as("on this machine's clock")
                .extracting(Entry::nanos)
                .containsExactlyElementsOf(
                        ring.read().stream().map(e -> e.nanos() + 1000).toList());
    }

    @Test
    void equalEntriesAreCompressed() throws Exception {
        for (int i = 0; i < 10_000; i++) send("A.java:" + i % 7, i, State.DONE);
        List<Entry> entries =
                FlightExcerpt.read(FlightExcerpt.bytes(ring, 0), 0).entries();
        assertThat(entries).hasSize(FlightExcerpt.MOST);
        assertThat(entries.getLast().number()).isEqualTo(10_000);
    }

    @Test
    void theLastOperationsThatFitAreSent() throws Exception {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 300; i++) {
            StringBuilder line = new StringBuilder();
            for (int c = 0; c < 250; c++) line.append((char) random.nextInt(0x800, 0xd800));
            send(line.toString(), random.nextInt(), State.DONE);
            byte[] bytes = FlightExcerpt.bytes(ring, random.nextLong());
            assertThat(bytes).hasSizeLessThanOrEqualTo(FlightExcerpt.ROOM_BYTES);
            assertThat(FlightExcerpt.read(bytes, 0).entries().getLast().number())
                    .isEqualTo(i + 1);
        }
    }

    @Test
    void incompleteOrForeignLinesAreNotRead() {
        send("A.java:7", 3, State.DONE);
        byte[] bytes = FlightExcerpt.bytes(ring, 9);
        for (int length = 0; length < bytes.length - 10; length++) {
            byte[] some = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> FlightExcerpt.read(some, 0)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> FlightExcerpt.read(new byte[] {1, 2, 3}, 0)).isInstanceOf(IOException.class);
    }
}
