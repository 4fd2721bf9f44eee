package org.tutti.e2e.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.tutti.e2e.job.Tier;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Tutti;
import programs.Mistaken;
import programs.Mistaken.Category;
import programs.Mistaken.Mistake;

/// Random programs with one mistake each. The report has the correct category and the source lines, and is
/// printed by the rank with the mistake or by a rank that the mistake affects. The same programs without the
/// mistake run without a report. Ranks are threads. `-Dtutti.mistaken.seed=N` sets the first seed,
/// `-Dtutti.mistaken.count=N` the number of programs for each mistake. `MistakenJobTest` runs the programs as
/// processes.
@ResourceLock(Resources.SYSTEM_ERR)
@Timeout(1200)
public class MistakenTest {
    private static final long SEED = Long.getLong("tutti.mistaken.seed", 1);
    private static final int COUNT = Integer.getInteger("tutti.mistaken.count", Tier.FULL ? 100 : Tier.CI ? 15 : 1);

    private static final String LINE = "Mistaken.java:\\d+";

    /// Returns the expected report of a mistake on `rank`.
    public static Pattern expectedReport(Mistake mistake, int rank) {
        String me = "\\(rank " + rank + " of \\d";
        return Pattern.compile(
                switch (mistake.category) {
                    case ARGUMENT ->
                        (switch (mistake) {
                                    case NO_SUCH_RANK -> "send: dest=\\d+ is not a rank of WORLD";
                                    case NO_SUCH_TAG -> "send: tag=-7 is not in 0 to ";
                                    case NO_SUCH_ROOT -> "bcast: root=\\d+ is not a rank of WORLD";
                                    case OVERLAP -> "allreduce: send and recv overlap in memory";
                                    default -> "allreduce: op is null";
                                })
                                + ".*" + me;
                    case MISMATCH ->
                        "(first difference: collective call \\d+ of WORLD.*|does not match: .*)ranks? [0-9, and-]*"
                                + rank + "|first difference: .*" + LINE;
                    case MESSAGE ->
                        "message (from rank|of \\d+ INT).*sent at " + LINE + ".*(buffer is of INT|does not fit)";
                    case DEADLOCK ->
                        "deadlock: .*" + LINE
                                + "|waits for rank \\d, which has left|never received|does not match|buffer is of|does not fit";
                    case LIFE_CYCLE ->
                        switch (mistake) {
                            case NEVER_AWAITED -> "request (was never awaited|is pending): isend\\(.* at " + LINE;
                            case STARTED_TWICE -> "recvInit: the request is already active.*" + me;
                            case NEVER_CLOSED ->
                                "a persistent request was never closed: recvInit\\(.* at " + LINE + ".*" + me;
                            case COMM_NEVER_CLOSED ->
                                "a communicator was never closed: .* created at " + LINE + ".*" + me;
                            case USED_AFTER_CLOSE -> "was closed.*" + LINE + "|after close|ERR_COMM|closed at";
                            default -> "never received|buffer is of|does not fit|does not match|deadlock: |has left";
                        };
                },
                Pattern.DOTALL);
    }

    /// Returns the printed text, followed by the message of the exception.
    private static String outcome(Mistaken plan, boolean twin) {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        String thrown = "";
        try {
            Tutti.local(plan.ranks(), mpi -> plan.run(mpi, twin));
        } catch (MpiException e) {
            thrown = e.getMessage();
        } catch (RuntimeException | Error e) {
            thrown = "not an MpiException: " + e;
        } finally {
            System.setErr(before);
        }
        return err.toString(StandardCharsets.UTF_8) + thrown;
    }

    private static void tryAll(List<Mistake> mistakes, int count) {
        List<String> missed = new ArrayList<>(), alarms = new ArrayList<>();
        int tried = 0;
        for (Mistake mistake : mistakes) {
            for (long seed = SEED; seed < SEED + count; seed++) {
                Mistaken plan = Mistaken.of(seed, mistake);
                String wrong = outcome(plan, false);
                tried++;
                if (!expectedReport(mistake, plan.rank()).matcher(wrong).find())
                    missed.add(mistake + ", seed " + seed + ", rank " + plan.rank() + ": " + wrong);
                String right = outcome(plan, true);
                if (!right.isEmpty()) alarms.add(mistake + ", seed " + seed + ": " + right);
            }
        }
        System.out.printf(
                "%d programs from seed %d: %d missed, %d false alarms%n", tried, SEED, missed.size(), alarms.size());
        assertThat(alarms).as("false alarms").isEmpty();
        assertThat(missed).as("mistakes that are not reported").isEmpty();
    }

    private static List<Mistake> quick(boolean isQuick) {
        return List.of(Mistake.values()).stream()
                .filter(m -> (m.category != Category.DEADLOCK) == isQuick)
                .toList();
    }

    @Test
    void mistakesAreReportedAndTwinsAreSilent() {
        tryAll(quick(true), COUNT);
    }

    /// Detection of a deadlock takes four seconds.
    @Test
    @Tag("ci")
    void deadlocksAreReported() {
        tryAll(quick(false), Tier.FULL ? 20 : 3);
    }
}
