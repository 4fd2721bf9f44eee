package org.tutti.launch.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.launch.calls.JobCalls;
import org.tutti.launch.calls.Lateness;

/// The page of a job's profile: the time of each rank in calls, the most expensive lines of the program, and
/// the ranks that delayed other ranks.
public final class Profile {
    private static final int MOST_RANKS = 32, MOST_SITES = 10, MOST_BY_BYTES = 5, MOST_LATE = 8;

    /// The minimum drift that is printed; smaller drifts are below the precision of clock comparison.
    private static final long LEAST_DRIFT_NANOS = 100_000;

    private record Place(String operation, String line) {
        @Override
        public String toString() {
            return operation + (line.isEmpty() ? "" : " at " + line);
        }
    }

    private static final class Sum {
        private long calls;
        private long waits;
        private long nanos;
        private long bytes;

        void add(CallFile.Site site) {
            calls += site.calls();
            waits += site.waits();
            nanos += site.nanos();
            bytes += site.bytes();
        }

        /// Returns the number of calls or, for a line that only waits for operations started on other lines,
        /// the number of waits.
        long count() {
            return calls == 0 ? waits : calls;
        }
    }

    private final JobCalls job;
    private final Lateness lateness;
    private final List<String> lines = new ArrayList<>();

    private Profile(JobCalls job) {
        this.job = job;
        lateness = Lateness.of(job);
    }

    /// Returns the lines of the profile.
    public static List<String> of(JobCalls job) {
        if (job.ranks().isEmpty()) return List.of("profile: no rank has reached Mpi.init, so there is no data");
        Profile profile = new Profile(job);
        profile.ranks();
        profile.sites();
        profile.late();
        profile.limits();
        return profile.lines;
    }

    private static long ran(CallFile rank) {
        return rank.lastNanos() - rank.began();
    }

    private void ranks() {
        long longest = job.ranks().stream().mapToLong(Profile::ran).max().orElse(0);
        int n = job.ranks().size();
        lines.add("profile: " + n + (n == 1 ? " rank, " : " ranks, ") + Units.time(longest)
                + " from Mpi.init to its close");
        Table table = new Table().row("rank", "in calls", "", "waiting for others", "", "calls", "bytes", "");
        List<CallFile> shown = new ArrayList<>(job.ranks());
        if (n > MOST_RANKS) {
            shown.sort(Comparator.comparingLong(CallFile::insideNanos).reversed());
            shown = shown.subList(0, MOST_RANKS);
        }
        for (CallFile rank : shown) {
            long calls = 0, bytes = 0;
            for (CallFile.Site site : rank.sites()) {
                calls += site.calls();
                bytes += site.bytes();
            }
            long waiting = lateness.waitingNanos(rank.rank());
            table.row(
                    Integer.toString(rank.rank()),
                    Units.time(rank.insideNanos()),
                    Units.percent(rank.insideNanos(), ran(rank)),
                    Units.time(waiting),
                    Units.percent(waiting, ran(rank)),
                    Units.count(calls),
                    Units.bytes(bytes),
                    rank.hasLeft() ? "" : "did not close");
        }
        lines.addAll(table.lines());
        if (n > MOST_RANKS) lines.add("  and " + (n - MOST_RANKS) + " ranks with less time in calls");
        imbalance();
    }

    private void imbalance() {
        long sum = 0;
        CallFile most = job.ranks().getFirst();
        for (CallFile rank : job.ranks()) {
            sum += lateness.waitingNanos(rank.rank());
            if (lateness.waitingNanos(rank.rank()) > lateness.waitingNanos(most.rank())) most = rank;
        }
        if (sum == 0) return;
        double mean = (double) sum / job.ranks().size();
        lines.add(String.format(
                Locale.ROOT,
                "  imbalance: rank %d waits for others most, %.2f times the mean of %s",
                most.rank(),
                lateness.waitingNanos(most.rank()) / mean,
                Units.time((long) mean)));
    }

    private void sites() {
        Map<Place, Sum> sums = new HashMap<>();
        long all = 0;
        for (CallFile rank : job.ranks()) {
            for (CallFile.Site site : rank.sites()) {
                if (site.calls() + site.waits() == 0) continue;
                Place place = new Place(site.operation(), site.line());
                sums.computeIfAbsent(place, p -> new Sum()).add(site);
                all += site.nanos();
            }
        }
        for (CallFile rank : job.ranks()) all += unfinished(rank, sums);
        if (sums.isEmpty()) return;
        lines.add("time in calls by place in the program, all ranks:");
        table(sums, Comparator.comparingLong((Sum s) -> s.nanos), MOST_SITES, all);
        if (sums.values().stream().allMatch(s -> s.bytes == 0)) return;
        lines.add("most bytes by place in the program:");
        sums.values().removeIf(s -> s.bytes == 0);
        table(sums, Comparator.comparingLong((Sum s) -> s.bytes), MOST_BY_BYTES, all);
    }

    /// Adds the unfinished calls of a rank to the sums, and returns the time in these calls.
    private static long unfinished(CallFile rank, Map<Place, Sum> sums) {
        long all = 0;
        for (int i = 0; i < rank.records(); i++) {
            if (rank.isFinished(i)) continue;
            long nanos = rank.end(i) - rank.begin(i);
            Sum sum = sums.computeIfAbsent(new Place(rank.operation(i), rank.line(i)), p -> new Sum());
            sum.nanos += nanos;
            if (rank.kind(i) == CallRecord.Kind.WAIT) sum.waits++;
            else sum.calls++;
            all += nanos;
        }
        return all;
    }

    private void table(Map<Place, Sum> sums, Comparator<Sum> by, int most, long allNanos) {
        Table table = new Table().row("time", "", "calls", "each", "bytes", "");
        sums.entrySet().stream()
                .sorted(Map.Entry.<Place, Sum>comparingByValue(by.reversed())
                        .thenComparing(e -> e.getKey().toString()))
                .limit(most)
                .forEach(e -> {
                    Sum sum = e.getValue();
                    table.row(
                            Units.time(sum.nanos),
                            Units.percent(sum.nanos, allNanos),
                            Units.count(sum.count()),
                            Units.time(sum.nanos / Math.max(1, sum.count())),
                            Units.bytes(sum.bytes),
                            e.getKey().toString());
                });
        lines.addAll(table.lines());
        if (sums.size() > most) lines.add("  and " + Units.count(sums.size() - most) + " more lines of the program");
    }

    private void late() {
        List<Lateness.Late> worst = lateness.worst();
        if (worst.isEmpty()) return;
        lines.add("late ranks, and how long other ranks waited:");
        for (Lateness.Late late : worst.subList(0, Math.min(MOST_LATE, worst.size()))) {
            String waited = ", others waited " + Units.time(late.nanos());
            String longest = late.times() == 1 && late.nanos() == late.longestNanos()
                    ? ""
                    : ", " + Units.time(late.longestNanos()) + " at most"
                            + (late.longestCall() == 0 ? "" : " (call " + late.longestCall() + ")");
            lines.add("  rank " + late.rank()
                    + (late.never()
                            ? " never arrived: " + late.what() + waited + longest
                            : ", " + Units.times(late.times()) + ": " + late.what() + waited + longest));
        }
        if (worst.size() > MOST_LATE) {
            lines.add("  and " + Units.count(worst.size() - MOST_LATE) + " more with shorter waits");
        }
    }

    private void limits() {
        job.drifts().forEach((host, nanos) -> {
            if (Math.abs(nanos) >= LEAST_DRIFT_NANOS)
                lines.add("  the clock of " + host + " was " + Units.time(Math.abs(nanos))
                        + (nanos > 0 ? " slow" : " fast") + " at the end; times are corrected");
        });
        long leftOut = job.ranks().stream().mapToLong(CallFile::leftOut).sum();
        if (leftOut > 0) {
            lines.add("  waiting times exclude the last " + Units.calls(leftOut) + ": each rank records its first "
                    + Units.count(job.ranks().stream()
                            .mapToLong(CallFile::records)
                            .max()
                            .orElse(0)));
        }
        int missing = job.size() - job.ranks().size();
        if (missing > 0) {
            lines.add("  " + missing + (missing == 1 ? " rank has" : " ranks have") + " not recorded any calls");
        }
    }
}
