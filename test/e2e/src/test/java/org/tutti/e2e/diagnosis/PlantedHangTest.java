package org.tutti.e2e.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;
import programs.PlantedPlan;
import programs.PlantedPlan.Step;

/// Random legal programs, each with one planted mistake of one rank (`PlantedPlan`): the report must name the
/// rank and the source line.
///
/// *Named* means that one printed statement contains the rank with the mistake and a line of the mistake. A
/// statement is a line of stderr outside of the stack of an exception, or one step of a deadlock's cycle. A
/// line of the mistake is
///
/// - for a rank that sleeps or runs forever: the line of the sleep or the loop;
///
/// - for a wrong call: that call, or the call of a different rank in the same step, which waits for it;
///
/// - for a step that was omitted or executed too early: a call of a different rank in that step, or the call
/// that the culprit executes instead.
///
/// So the test accepts a report "rank 0 waits for rank 2 at line 90" if line 90 is the receive of a send that
/// rank 2 has omitted. It rejects the same report with a later line, or with rank 1. It does not require
/// information that a report cannot have: if two ranks disagree, it cannot state which of the two is wrong.
///
/// `-Dtutti.planted.seed=N` and `-Dtutti.planted.count=N` select other programs. `-Pfull` runs 200.
class PlantedHangTest extends JobTest {
    private static final Marked SOURCE = Marked.program("Planted");
    private static final long SEED = Long.getLong("tutti.planted.seed", System.nanoTime());
    private static final double ENOUGH = 0.95;

    private static final int AT_ONCE = 3;
    private static final long LIMIT_MILLIS = 40_000, POLL_MILLIS = 100;
    private static final List<String> OPTIONS = List.of("--stall", "1");

    private static final Pattern RANKS = Pattern.compile("\\branks? (\\d+(?:(?:-|, | and )\\d+)*)");
    private static final Pattern STEP = Pattern.compile("(?:^|: )(\\d+) [a-zA-Z]+[←→](\\d+|any)");

    private static int count(Way way) {
        int all = Integer.getInteger("tutti.planted.count", Tier.FULL ? 200 : 2);
        return way.isNative() ? all / 4 : all;
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void theMistakeIsNamedWithRankAndLine(Way way) throws Exception {
        way.require();
        int count = count(way);
        Map<Long, Callable<ProcessOutcome>> jobs = new LinkedHashMap<>();
        for (long seed = SEED; seed < SEED + count; seed++) jobs.put(seed, job(way, seed));
        Map<Long, ProcessOutcome> results = runAll(AT_ONCE, jobs);
        List<String> missed = new ArrayList<>();
        Map<String, int[]> byMistake = new TreeMap<>();
        results.forEach((seed, ended) -> {
            PlantedPlan plan = PlantedPlan.of(seed);
            int[] counted = byMistake.computeIfAbsent(plan.mistake().toString(), m -> new int[2]);
            counted[1]++;
            if (isNamed(plan, ended.err())) counted[0]++;
            else missed.add("seed " + seed + ": " + description(plan) + ", but: " + ended);
        });
        String summary = byMistake.entrySet().stream()
                .map(e -> e.getKey() + " " + e.getValue()[0] + " of " + e.getValue()[1])
                .collect(Collectors.joining(", "));
        System.out.println("planted over " + way + ", seeds from " + SEED + ": " + summary);
        missed.forEach(System.out::println);
        assertThat(missed)
                .as("%s: not named, again with -Dtutti.planted.seed=%d: %s", way, SEED, summary)
                .hasSizeLessThanOrEqualTo((int) Math.max(1, Math.floor((1 - ENOUGH) * count)));
    }

    /// Returns a job. If a rank sleeps or runs forever, the test ends the job when a report has named the rank.
    private static Callable<ProcessOutcome> job(Way way, long seed) {
        PlantedPlan plan = PlantedPlan.of(seed);
        return () -> {
            Child job = Command.program(way, plan.ranks(), OPTIONS, "Planted", "" + seed)
                    .start();
            for (long millis = 0; millis < LIMIT_MILLIS && job.isAlive(); millis += POLL_MILLIS) {
                Thread.sleep(POLL_MILLIS);
                if (plan.mayRunForever() && isNamed(plan, job.errSoFar())) break;
            }
            if (job.isAlive()) Processes.signal("TERM", job.pid());
            return job.await();
        };
    }

    private static String description(PlantedPlan plan) {
        return plan.mistake() + " by rank " + plan.culprit() + " of " + plan.ranks() + " at " + plan.wrong()
                + " before " + plan.instead() + ", lines " + lines(plan);
    }

    private static List<String> lines(PlantedPlan plan) {
        Step instead = plan.instead();
        String next = instead == null ? "END" : instead.kind().toString();
        String mistake = plan.mistake().toString();
        String kind = plan.wrong().kind().toString();
        Stream<String> names = switch (plan.mistake()) {
            case SLEEP, LOOP -> Stream.of(mistake);
            case OTHER_CALL -> Stream.of(mistake, kind);
            case WRONG_TAG, WRONG_PEER -> Stream.of(kind);
            case SKIP, OTHER_ORDER -> Stream.of(kind, next);
        };
        return names.flatMap(name -> SOURCE.lines(name).stream()).toList();
    }

    private static boolean isNamed(PlantedPlan plan, String err) {
        List<Pattern> lines = lines(plan).stream()
                .map(line -> Pattern.compile(Pattern.quote(line) + "(?!\\d)"))
                .toList();
        return err.lines()
                .filter(line -> line.startsWith("tutti: "))
                .flatMap(line -> Stream.of(line.split(" → ")))
                .anyMatch(statement -> ranks(statement).get(plan.culprit())
                        && lines.stream()
                                .anyMatch(line -> line.matcher(statement).find()));
    }

    /// Returns the ranks that a statement names.
    private static BitSet ranks(String statement) {
        BitSet ranks = new BitSet();
        Matcher listed = RANKS.matcher(statement);
        while (listed.find()) {
            for (String part : listed.group(1).split(", | and ")) {
                String[] limits = part.split("-");
                ranks.set(Integer.parseInt(limits[0]), Integer.parseInt(limits[limits.length - 1]) + 1);
            }
        }
        Matcher step = STEP.matcher(statement);
        while (step.find()) {
            ranks.set(Integer.parseInt(step.group(1)));
            if (!step.group(2).equals("any")) ranks.set(Integer.parseInt(step.group(2)));
        }
        return ranks;
    }
}
