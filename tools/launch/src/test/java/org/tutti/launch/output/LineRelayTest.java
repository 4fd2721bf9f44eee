package org.tutti.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Output without a line end.
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LineRelayTest {
    private final BlockingQueue<String> passed = new LinkedBlockingQueue<>();
    private final PipedOutputStream process = new PipedOutputStream();

    private LineRelay relay(InputStream in) {
        LineRelay relay = new LineRelay(in, "test") {
            @Override
            protected boolean lines(byte[] bytes, int from, int to, boolean urgent) {
                passed.add(new String(bytes, from, to - from, StandardCharsets.UTF_8));
                return true;
            }
        };
        relay.start();
        return relay;
    }

    private void write(String text) throws Exception {
        process.write(text.getBytes(StandardCharsets.UTF_8));
        process.flush();
    }

    /// Returns null if no output arrives within a minute.
    private String next() throws Exception {
        return passed.poll(1, TimeUnit.MINUTES);
    }

    @Test
    void aPromptIsShown() throws Exception {
        relay(new PipedInputStream(process));
        write("Your name? ");
        assertThat(next()).isEqualTo("Your name? ");
        write("ok\n");
        assertThat(next()).isEqualTo("ok\n");
    }

    /// While the receiver was slow, the rest of the second line has arrived.
    @Test
    void aSlowReceiverGetsWholeLines() throws Exception {
        LineRelay relay = new LineRelay(new PipedInputStream(process), "test") {
            @Override
            protected boolean lines(byte[] bytes, int from, int to, boolean urgent) {
                passed.add(new String(bytes, from, to - from, StandardCharsets.UTF_8));
                try {
                    if (passed.size() == 1) Thread.sleep(1000);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return true;
            }
        };
        write("first\nsec");
        relay.start();
        while (passed.isEmpty()) Thread.sleep(1);
        write("ond\n");
        process.close();
        relay.drain(Long.MAX_VALUE);
        assertThat(passed).containsExactly("first\n", "second\n");
    }

    @Test
    void aProgressBarMoves() throws Exception {
        LineRelay relay = relay(new PipedInputStream(process));
        StringBuilder bar = new StringBuilder();
        for (String step : new String[] {" 10 %\r", " 20 %\r"}) {
            write(step);
            bar.append(next());
            assertThat(bar).endsWith(step);
        }
        process.close();
        relay.drain(Long.MAX_VALUE);
        assertThat(passed).isEmpty();
    }

    /// Binary output: 512 MiB without a line end, more than the heap of the tests' JVM.
    @Test
    void aLineWithoutEndTakesABoundedBuffer() throws Exception {
        long total = 512L << 20;
        AtomicLong left = new AtomicLong(total), seen = new AtomicLong();
        InputStream zeros = new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                int n = (int) Math.min(length, left.get());
                left.addAndGet(-n);
                return n == 0 ? -1 : n;
            }

            @Override
            public int available() {
                return 1;
            }
        };
        AtomicLong longest = new AtomicLong();
        LineRelay relay = new LineRelay(zeros, "test") {
            @Override
            protected boolean lines(byte[] bytes, int from, int to, boolean urgent) {
                seen.addAndGet(to - from);
                longest.accumulateAndGet(to - from, Math::max);
                return true;
            }
        };
        relay.start();
        relay.drain(Long.MAX_VALUE);
        assertThat(seen.get()).isEqualTo(total);
        assertThat(longest.get()).isLessThanOrEqualTo(LineRelay.LONGEST_BYTES);
        assertThat(relay.failure()).isNull();
    }

    @Test
    void whateverHappensToALineTheProcessCanWriteOn() throws Exception {
        LineRelay relay = new LineRelay(new PipedInputStream(process), "test") {
            @Override
            protected boolean lines(byte[] bytes, int from, int to, boolean urgent) {
                String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
                if (line.equals("bad\n")) throw new StackOverflowError("planted");
                passed.add(line);
                return true;
            }
        };
        relay.start();
        write("bad\n");
        while (relay.failure() == null) Thread.onSpinWait();
        for (int i = 0; i < 1000; i++) {
            write("good " + i + "\n");
            assertThat(next()).isEqualTo("good " + i + "\n");
        }
        process.close();
        relay.drain(Long.MAX_VALUE);
        assertThat(relay.failure()).hasMessage("planted");
    }

    @Test
    void relaysEveryByteAndAddsNone() throws Exception {
        StringBuilder seen = new StringBuilder();
        byte[] text = ("a\nb\n" + "x".repeat(20_000) + "\nlast").getBytes(StandardCharsets.UTF_8);
        LineRelay relay = new LineRelay(new ByteArrayInputStream(text), "test") {
            @Override
            protected boolean lines(byte[] buffer, int from, int to, boolean urgent) {
                seen.append(new String(buffer, from, to - from, StandardCharsets.UTF_8));
                return true;
            }
        };
        relay.start();
        relay.drain(Long.MAX_VALUE);
        assertThat(seen).hasToString("a\nb\n" + "x".repeat(20_000) + "\nlast");
    }
}
