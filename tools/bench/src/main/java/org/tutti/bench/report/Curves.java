package org.tutti.bench.report;

import java.util.ArrayList;
import java.util.List;
import org.tutti.chart.Axis;
import org.tutti.chart.Chart;

/// The chart of several results of a test. For each kind of memory and each type, it has a curve of the
/// bandwidth or, without a bandwidth, of each column of times: for example average, and with `-f` also minimum
/// and maximum.
final class Curves {
    private Curves() {}

    static Chart of(List<Result> results) {
        Result first = results.getFirst();
        boolean bandwidth = first.options().test().isBandwidth();
        boolean sized = first.columns().contains("bytes");
        String title = first.options().test().word() + ", " + first.ranks() + " ranks";
        boolean types = results.stream().map(r -> r.options().type()).distinct().count() > 1;
        List<Chart.Series> curves = new ArrayList<>();
        for (Result result : results) {
            for (String column : result.columns()) {
                if (isDrawn(result, column)) curves.add(curve(result, column, types));
            }
        }
        boolean perSecond = first.columns().contains("mb_s");
        return new Chart(
                title,
                first.engine(),
                Axis.bytes(sized ? "message, bytes" : ""),
                Axis.logarithmic(bandwidth || perSecond ? "MB/s" : "time, \u00b5s"),
                curves);
    }

    /// Whether the column is drawn. Times and bandwidths are not drawn in one chart.
    private static boolean isDrawn(Result result, String column) {
        String unit = result.columns().contains("mb_s") ? "mb_s" : "_us";
        return column.endsWith(unit);
    }

    private static Chart.Series curve(Result result, String column, boolean types) {
        int at = result.columns().indexOf(column);
        List<double[]> points = new ArrayList<>();
        for (List<Object> row : result.rows()) {
            points.add(new double[] {Math.max(1, result.bytes(row)), ((Number) row.get(at)).doubleValue()});
        }
        String what = column.startsWith("avg") || column.equals("mb_s") ? "" : ", " + column.replaceFirst("_us$", "");
        String type = types ? " " + result.options().type().word() : "";
        return new Chart.Series(result.options().storage().word() + type + what, points);
    }
}
