package org.tutti.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.run.OutputOptions;
import org.tutti.launch.run.Run;

/// Lines of several ranks on one stream.
class SinkTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Sink sink = Sink.of(out, "out", false);

    private void write(int rank, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] prefix = rank < 0 ? new byte[0] : ("[" + rank + "] ").getBytes(StandardCharsets.UTF_8);
        assertThat(sink.write(rank, prefix, bytes, 0, bytes.length, true)).isEqualTo(Sink.Result.WRITTEN);
    }

    private static Sink.Result offer(Sink to, int writer, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return to.write(writer, new byte[0], bytes, 0, bytes.length, false);
    }

    @Test
    void aLineInPiecesIsOneLine() {
        write(0, "a ");
        write(0, "b");
        write(0, " c\nd\n");
        write(1, "e\n");
        assertThat(out).hasToString("[0] a b c\n[0] d\n[1] e\n");
    }

    @Test
    void aPieceIsNeverFollowedByAnotherRanksLine() {
        write(0, "name? ");
        write(1, "e\nf");
        write(Sink.LAUNCHER, "tutti: g\n");
        write(0, "rest\n");
        assertThat(out).hasToString("[0] name? \n[1] e\n[1] f\ntutti: g\n[0] rest\n");
    }

    @Test
    void theWriterOfAnUnfinishedLineOwnsTheSinkForAMoment() throws Exception {
        assertThat(offer(sink, 0, "10 %")).isEqualTo(Sink.Result.WRITTEN);
        long began = System.nanoTime();
        assertThat(offer(sink, 0, " 20 %")).isEqualTo(Sink.Result.WRITTEN);
        while (offer(sink, 1, "b\n") == Sink.Result.REFUSED) Thread.sleep(1);
        assertThat(System.nanoTime() - began).isGreaterThan(Sink.OWNED_NANOS / 2);
        assertThat(out).hasToString("10 % 20 %\nb\n");
    }

    @Test
    void furtherUnfinishedLinesDoNotBlockOtherWriters() throws Exception {
        offer(sink, 0, "a");
        long began = System.nanoTime();
        while (offer(sink, 1, "b\n") == Sink.Result.REFUSED) {
            assertThat(System.nanoTime() - began).isLessThan(300 * Sink.OWNED_NANOS);
            assertThat(offer(sink, 0, "c\nd")).isEqualTo(Sink.Result.WRITTEN);
            Thread.sleep(1);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("\nb\n");
    }

    /// Two ranks write prompts in alternation.
    @Test
    void theLauncherSpeaksWithinAMoment() throws Exception {
        OutputOptions both =
                Run.of("A.java", List.of()).size(2).error(out).build().output();
        RankOutput output = new RankOutput(both, 0, 2, false, () -> {});
        Thread says = Thread.ofPlatform().daemon().unstarted(() -> output.say("stall"));
        byte[] prompt = {'\n', '?'};
        output.write(0, 1, new byte[0], prompt, 0, 2);
        says.start();
        long began = System.nanoTime();
        for (int i = 1; says.isAlive(); i++) {
            assertThat(System.nanoTime() - began).isLessThan(300 * Sink.OWNED_NANOS);
            output.write(i % 2, 1, new byte[0], prompt, 0, 2);
            Thread.sleep(1);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("?\ntutti: stall\n");
    }

    @Test
    void aFinishedWriterDoesNotOwnTheSink() {
        offer(sink, 0, "a");
        sink.leave(0);
        assertThat(offer(sink, 1, "b")).isEqualTo(Sink.Result.WRITTEN);
        sink.leave(1);
        sink.endLine();
        sink.endLine();
        assertThat(out).hasToString("a\nb\n");
    }

    @Test
    void theOutputOfOneRankIsExact() {
        Sink exact = Sink.of(out, "out", true);
        offer(exact, 0, "name? ");
        assertThat(offer(exact, 1, "debug")).isEqualTo(Sink.Result.WRITTEN);
        offer(exact, 0, "more");
        exact.leave(0);
        exact.leave(1);
        exact.endLine();
        assertThat(out).hasToString("name? debugmore");
        byte[] line = "tutti: x\n".getBytes(StandardCharsets.UTF_8);
        exact.write(Sink.LAUNCHER, new byte[0], line, 0, line.length, true);
        assertThat(out).hasToString("name? debugmore\ntutti: x\n");
    }

    @Test
    void aFullDiskIsReportedOnce() throws Exception {
        Sink full = Sink.file(Path.of("/dev/full"), false);
        byte[] line = {'x', '\n'};
        assertThat(full.write(0, new byte[0], line, 0, 2, true)).isEqualTo(Sink.Result.LOST);
        assertThat(full.write(0, new byte[0], line, 0, 2, true)).isEqualTo(Sink.Result.LOST);
        assertThat(full.takeFailure()).startsWith("/dev/full cannot be written: ");
        assertThat(full.takeFailure()).isNull();
    }
}
