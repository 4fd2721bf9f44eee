package org.tutti.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.compare.ResultTable.Line;
import org.tutti.bench.report.CsvFile;
import org.tutti.chart.Axis;
import org.tutti.chart.Chart;
import org.tutti.chart.RatioChart;

/// The result as text, CSV and charts.
final class ComparisonReport {
    private static final int NARROWEST = 10;

    /// The columns after the name of the test.
    private static final String ROW = " %5s %8s  %-28s %8s %-4s  %-17s  %-23s  %-16s  %-19s  %s";

    private final Measurements measurements;
    private final List<Line> table;

    /// The length of the longest name of a test.
    private final int testWidth;

    ComparisonReport(Measurements measurements, List<Line> table) {
        this.measurements = measurements;
        this.table = table;
        testWidth = table.stream()
                .mapToInt(line -> line.point().test().word().length())
                .reduce(NARROWEST, Math::max);
    }

    /// Returns the printed lines.
    ///
    /// @param head the conditions of the measurement
    /// @param missing the contenders that could not be run
    List<String> lines(List<String> head, Collection<String> missing) {
        List<String> lines = new ArrayList<>();
        for (String line : head) lines.add("# " + line);
        lines.add("# " + howToRead());
        lines.add(row(
                "# test",
                "ranks",
                "bytes",
                "who",
                "median",
                "",
                "interval",
                "ratio (interval)",
                "to",
                "added ns",
                "goal"));
        for (Line line : table) lines.add(row(line));
        for (String line : missing) lines.add("# not run: " + line);
        return lines;
    }

    private String howToRead() {
        int n = measurements.launches(), place = Sample.place(n);
        String positions = place == 1 ? "the least and the largest" : "number " + place + " from either end";
        return String.format(
                Locale.ROOT,
                "medians of %s; intervals of medians: %s, which contain the true median with %.1f %%;"
                        + " ratios are of the same launch; a goal is reached if the median ratio is 1 or better",
                n == 1 ? "1 launch" : n + " alternating launches",
                positions,
                100 * Math.max(0, Sample.coverage(n, place)));
    }

    private String row(Line line) {
        Point p = line.point();
        Sample ratio = line.ratio(), added = line.addedNanos();
        return row(
                p.test().word(),
                p.ranks(),
                p.bytes() == 0 ? "-" : p.bytes(),
                line.contender().name(p.test()),
                figure(line.value().median()),
                p.test().unit(),
                between(line.value()),
                ratio == null ? "" : figure(ratio.median()) + " (" + between(ratio) + ")",
                to(line),
                added == null
                        ? ""
                        : Math.round(added.median()) + " (" + Math.round(added.low()) + " \u2026 "
                                + Math.round(added.high()) + ")",
                line.verdict());
    }

    private String row(Object... values) {
        return String.format(Locale.ROOT, "%-" + testWidth + "s" + ROW, values).stripTrailing();
    }

    private static String to(Line line) {
        return line.yardstick() == null
                ? ""
                : line.yardstick().name(line.point().test());
    }

    private static String between(Sample sample) {
        return figure(sample.low()) + " \u2026 " + figure(sample.high());
    }

    /// Formats a number without an exponent: with three significant digits from 1 to 99.9, as an integer above,
    /// with three decimals below 1.
    private static String figure(double value) {
        if (Double.isNaN(value)) return "-";
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /// Writes `report.txt`, `table.csv`, `launches.csv`, `ratios.svg` and, for each test that has several sizes,
    /// a chart for each number of ranks.
    void write(Path directory, List<String> lines) throws IOException {
        Files.createDirectories(directory);
        Files.write(directory.resolve("report.txt"), lines, StandardCharsets.UTF_8);
        Files.writeString(directory.resolve("table.csv"), tableCsv(), StandardCharsets.UTF_8);
        Files.writeString(directory.resolve("launches.csv"), launchesCsv(), StandardCharsets.UTF_8);
        ratios().write(directory.resolve("ratios.svg"));
        for (Map.Entry<String, List<Line>> picture : pictures().entrySet()) {
            chart(picture.getValue()).write(directory.resolve(picture.getKey() + ".svg"));
        }
    }

    private String tableCsv() {
        StringBuilder text = new StringBuilder();
        CsvFile.append(
                text,
                List.of(
                        "test",
                        "ranks",
                        "bytes",
                        "who",
                        "unit",
                        "launches",
                        "median",
                        "low",
                        "high",
                        "ratio_to",
                        "ratio",
                        "ratio_low",
                        "ratio_high",
                        "added_ns",
                        "added_ns_low",
                        "added_ns_high",
                        "goal"));
        for (Line line : table) {
            Point p = line.point();
            List<Object> row = new ArrayList<>(List.of(
                    p.test().word(),
                    p.ranks(),
                    p.bytes(),
                    line.contender().name(p.test()),
                    p.test().unit()));
            row.add(line.value().size());
            addAll(row, line.value());
            row.add(to(line));
            addAll(row, line.ratio());
            addAll(row, line.addedNanos());
            row.add(line.verdict());
            CsvFile.append(text, row);
        }
        return text.toString();
    }

    private static void addAll(List<Object> row, @Nullable Sample sample) {
        if (sample == null) row.addAll(List.of("", "", ""));
        else row.addAll(List.of(sample.median(), sample.low(), sample.high()));
    }

    private String launchesCsv() {
        StringBuilder text = new StringBuilder();
        CsvFile.append(text, List.of("launch", "test", "ranks", "bytes", "who", "unit", "value"));
        for (int launch = 0; launch < measurements.launches(); launch++) {
            for (Point p : measurements.points()) {
                for (Map.Entry<Contender, double[]> entry : measurements.of(p).entrySet()) {
                    double value = entry.getValue()[launch];
                    if (Double.isNaN(value)) continue;
                    String who = entry.getKey().name(p.test());
                    CsvFile.append(
                            text,
                            List.of(
                                    launch + 1,
                                    p.test().word(),
                                    p.ranks(),
                                    p.bytes(),
                                    who,
                                    p.test().unit(),
                                    value));
                }
            }
        }
        return text.toString();
    }

    /// Returns the chart of the shm engine relative to the yardsticks.
    private RatioChart ratios() {
        List<RatioChart.Bar> bars = new ArrayList<>();
        for (Line line : table) {
            boolean shm = line.contender() instanceof TuttiContender tutti && tutti.library() == null;
            Sample ratio = line.ratio();
            if (!shm || ratio == null) continue;
            String name = line.point() + ", "
                    + line.contender().name(line.point().test()).replace("Tutti shm, ", "");
            // less is better for times; bandwidth ratios are inverted, so that in all tests the same side of
            // the line at 1 is better
            boolean turned = line.point().test().isBandwidth();
            bars.add(
                    turned
                            ? new RatioChart.Bar(name, 1 / ratio.median(), 1 / ratio.high(), 1 / ratio.low())
                            : new RatioChart.Bar(name, ratio.median(), ratio.low(), ratio.high()));
        }
        return new RatioChart(
                "Tutti's shared memory: time relative to the yardstick",
                "median of paired launches with its interval; left of 1 Tutti is faster",
                bars);
    }

    /// Returns the lines of each chart, by the name of the chart.
    private Map<String, List<Line>> pictures() {
        Map<String, List<Line>> pictures = new LinkedHashMap<>();
        for (Line line : table) {
            if (!line.point().test().isSized()) continue;
            String name = line.point().test().word() + "-" + line.point().ranks();
            pictures.computeIfAbsent(name, n -> new ArrayList<>()).add(line);
        }
        pictures.values()
                .removeIf(lines -> lines.stream()
                                .map(line -> line.point().bytes())
                                .distinct()
                                .count()
                        < 2);
        return pictures;
    }

    private static Chart chart(List<Line> lines) {
        CompareTest test = lines.getFirst().point().test();
        Map<String, List<double[]>> curves = new LinkedHashMap<>();
        for (Line line : lines) {
            curves.computeIfAbsent(line.contender().name(test), n -> new ArrayList<>())
                    .add(new double[] {line.point().bytes(), line.value().median()});
        }
        List<Chart.Series> series = new ArrayList<>();
        curves.forEach((name, points) -> series.add(new Chart.Series(name, points)));
        String title = test.word() + ", " + lines.getFirst().point().ranks() + " ranks";
        Axis up = Axis.logarithmic(test.isBandwidth() ? "MB/s" : "time, \u00b5s");
        return new Chart(title, "medians", Axis.bytes("message, bytes"), up, series);
    }
}
