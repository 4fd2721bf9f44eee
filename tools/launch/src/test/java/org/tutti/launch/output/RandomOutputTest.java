package org.tutti.launch.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.run.ColorChoice;
import org.tutti.launch.run.OutputOptions;

/// Random writers: line lengths around the size of a relay's buffer, no final line end, two streams of each
/// rank. `-Dtutti.output.seed=N` repeats one case, `-Dtutti.output.cases=N` runs more.
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomOutputTest {
    private static final int CASES = Integer.getInteger("tutti.output.cases", 300);
    private static final @Nullable Long SEED = Long.getLong("tutti.output.seed");

    /// Text with letters that identify the stream: lower case in a rank's stdout, capitals in stderr.
    private record Script(String text, int rank, int stream) {
        List<String> lines() {
            List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
            if (lines.getLast().isEmpty()) lines.removeLast();
            return lines;
        }

        boolean isWritten(char c) {
            return c == '\n' || Character.isUpperCase(c) == (stream == 1);
        }
    }

    private static Script script(SplittableRandom random, int rank, int stream, int bound, boolean beyond) {
        StringBuilder text = new StringBuilder();
        int lines = random.nextInt(12);
        for (int i = 0; i < lines; i++) {
            int longest = beyond && random.nextInt(3) == 0 ? 5 * bound : bound - 1;
            int length = random.nextBoolean() ? random.nextInt(longest + 1) : Math.max(0, longest - random.nextInt(3));
            char first = stream == 1 ? 'A' : 'a';
            for (int k = 0; k < length; k++) text.append((char) (first + random.nextInt(26)));
            if (i < lines - 1 || random.nextBoolean()) text.append('\n');
        }
        return new Script(text.toString(), rank, stream);
    }

    /// Returns a stream that delivers the text in random pieces; `available` is never 0, so that no piece waits
    /// for the quiet time.
    private static InputStream pieces(String text, SplittableRandom random) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return new InputStream() {
            private int at;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int from, int length) {
                if (at == bytes.length) return -1;
                int n = Math.min(bytes.length - at, 1 + random.nextInt(length));
                System.arraycopy(bytes, at, into, from, n);
                at += n;
                if (random.nextInt(8) == 0) Thread.yield();
                return n;
            }

            @Override
            public int available() {
                return 1;
            }
        };
    }

    private static OutputOptions options(
            boolean tagged, @Nullable Path directory, ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return new OutputOptions(tagged, directory, out, err, false, ColorChoice.NEVER);
    }

    private static void relay(RankOutput output, List<Script> scripts, SplittableRandom random)
            throws InterruptedException {
        List<InputStream> streams = new ArrayList<>();
        for (Script script : scripts) streams.add(pieces(script.text(), random.split()));
        for (int i = 0; i < scripts.size(); i++) {
            output.relay(streams.get(i), scripts.get(i).rank(), scripts.get(i).stream());
        }
        output.drain(Long.MAX_VALUE);
        assertThat(output.failure()).isNull();
    }

    @Test
    void linesAreWholeAndInOrder(@TempDir Path directory) throws Exception {
        for (long seed = SEED == null ? 0 : SEED; seed < (SEED == null ? CASES : SEED + 1); seed++) {
            try {
                tryWith(seed, directory.resolve("case-" + seed));
            } catch (Throwable t) {
                throw new AssertionError("-Dtutti.output.seed=" + seed + " repeats it", t);
            }
        }
    }

    private static void tryWith(long seed, Path directory) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        int ranks = 1 + random.nextInt(4);
        int bound = random.nextBoolean() ? 2 + random.nextInt(30) : 8000 + random.nextInt(400);
        boolean beyond = random.nextBoolean(), tagged = ranks > 1 || random.nextBoolean();
        boolean writesFiles = random.nextInt(8) == 0;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = random.nextBoolean() ? out : new ByteArrayOutputStream();
        List<Script> scripts = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            for (int stream = 0; stream < 2; stream++) scripts.add(script(random, rank, stream, bound, beyond));
        }
        OutputOptions options = options(tagged, writesFiles ? directory : null, out, err);
        RankOutput output =
                new RankOutput(options, 0, ranks, false, () -> {}, new RelayMemory(bound, beyond ? 0 : 1 << 20));
        relay(output, scripts, random);
        for (Script script : scripts) {
            String text = (script.stream() == 1 ? err : out).toString(StandardCharsets.US_ASCII);
            if (tagged) checkLines(script, text, bound);
            else if (err != out) assertThat(text).isEqualTo(script.text());
            else checkLetters(script, text);
            if (!writesFiles) continue;
            Path file = directory.resolve("rank-" + script.rank() + (script.stream() == 1 ? ".err" : ".out"));
            assertThat(Files.readString(file)).isEqualTo(script.text());
        }
        if (ranks > 1 && out.size() > 0)
            assertThat(out.toString(StandardCharsets.US_ASCII)).endsWith("\n");
    }

    /// Checks the output of the two streams of a rank in one file; the relative order of the streams is
    /// undefined.
    private static void checkLetters(Script script, String text) {
        StringBuilder mine = new StringBuilder();
        text.chars().filter(c -> c != '\n' && script.isWritten((char) c)).forEach(c -> mine.append((char) c));
        assertThat(mine).hasToString(script.text().replace("\n", ""));
    }

    /// Checks that every line of a rank is complete, except lines longer than a buffer, which may be in several
    /// pieces.
    private static void checkLines(Script script, String text, int bound) {
        String tag = "[" + script.rank() + "] ";
        List<String> mine = new ArrayList<>();
        for (String line : text.lines().toList()) {
            assertThat(line).matches("\\[\\d] ([a-z]*|[A-Z]*)");
            String own = line.startsWith(tag) ? line.substring(tag.length()) : null;
            if (own != null && !own.isEmpty() && script.isWritten(own.charAt(0))) mine.add(own);
        }
        int at = 0;
        for (String line : script.lines()) {
            StringBuilder found = new StringBuilder();
            int pieces = 0;
            while (found.length() < line.length()) {
                if (at == mine.size()) fail("no more lines, but expected " + line);
                found.append(mine.get(at++));
                pieces++;
            }
            assertThat(found).hasToString(line);
            if (line.length() < bound) assertThat(pieces).isLessThanOrEqualTo(1);
        }
        assertThat(at).isEqualTo(mine.size());
    }

    /// Rank 0 waits in the middle of a line for rank 1, which writes much more than any buffer can hold.
    @Test
    void noRankWaitsForAnotherRanksLine() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RankOutput output =
                new RankOutput(options(true, null, out, out), 0, 2, false, () -> {}, new RelayMemory(64, 0));
        InputStream first = new InputStream() {
            private int parts;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int from, int length) {
                if (parts++ > 3) {
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        return -1;
                    }
                    if (parts > 6) return -1;
                }
                into[from] = 'a';
                return 1;
            }

            @Override
            public int available() {
                return 0;
            }
        };
        output.relay(first, 0, 0);
        while (out.size() == 0) Thread.sleep(1);
        String lines = "b\n".repeat(10_000);
        InputStream second = new InputStream() {
            private final InputStream text = pieces(lines, new SplittableRandom(1));

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] into, int from, int length) throws java.io.IOException {
                int n = text.read(into, from, length);
                if (n < 0) done.countDown();
                return n;
            }

            @Override
            public int available() {
                return 1;
            }
        };
        output.relay(second, 1, 0);
        output.drain(Long.MAX_VALUE);
        assertThat(out.toString(StandardCharsets.US_ASCII).lines().filter("[1] b"::equals))
                .hasSize(10_000);
    }
}
