package org.tutti.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The table: who was how fast, and beside whom.
final class ResultTable {
    private static final double NANOS_OF_MICRO = 1e3;

    private ResultTable() {}

    /// A line of the table.
    ///
    /// @param yardstick whom the ratio is to; null for a line that is a yardstick, or has none
    /// @param ratio of the values of the same launch, this one's to the yardstick's
    /// @param addedNanos what a library's own C takes less; null where there is nothing to set beside
    /// @param verdict whether Tutti's goal is met, where it has one
    record Line(
            Point point,
            Contender contender,
            Sample value,
            @Nullable Contender yardstick,
            @Nullable Sample ratio,
            @Nullable Sample addedNanos,
            String verdict) {}

    static List<Line> of(Measurements book, List<Contender> order) {
        List<Line> lines = new ArrayList<>();
        for (Point point : book.points()) {
            Map<Contender, double[]> values = book.of(point);
            Contender best = yardstick(point, values);
            for (Contender contender : order) {
                double[] own = values.get(contender);
                if (own != null) lines.add(line(point, contender, own, values, best));
            }
        }
        return lines;
    }

    private static Line line(
            Point point, Contender contender, double[] own, Map<Contender, double[]> values, @Nullable Contender best) {
        Sample value = new Sample(own);
        Contender same = sameLibrary(contender, values);
        Contender yardstick = same == null ? best : same;
        double[] others = yardstick == null ? null : values.get(yardstick);
        if (others == null || yardstick == contender) return new Line(point, contender, value, null, null, null, "");
        Sample ratio = Sample.ratios(own, others);
        Sample added = null;
        if (same != null && point.test().unit().equals("us")) {
            added = Sample.differences(scaled(own), scaled(others));
        }
        return new Line(point, contender, value, yardstick, ratio, added, verdict(point, contender, ratio));
    }

    private static double[] scaled(double[] micros) {
        double[] nanos = new double[micros.length];
        for (int i = 0; i < nanos.length; i++) nanos[i] = micros[i] * NANOS_OF_MICRO;
        return nanos;
    }

    /// Tutti's own engine reaches its goal where the median ratio is 1 or better; where only the interval
    /// is, it may have, and more launches or a quieter machine would tell.
    private static String verdict(Point point, Contender contender, Sample ratio) {
        if (!(contender instanceof TuttiContender tutti) || tutti.library() != null) return "";
        boolean more = point.test().isBandwidth();
        if (more ? ratio.median() >= 1 : ratio.median() <= 1) return "reached";
        return (more ? ratio.high() >= 1 : ratio.low() <= 1) ? "within interval" : "not reached";
    }

    /// What a library alone takes, for Tutti over that library.
    private static @Nullable Contender sameLibrary(Contender contender, Map<Contender, double[]> values) {
        if (!(contender instanceof TuttiContender tutti) || tutti.library() == null) return null;
        for (Contender other : values.keySet()) {
            if (other instanceof CContender c && c.library().equals(tutti.library())) return c;
        }
        return null;
    }

    /// For messages Open MPI's C, for collective operations the better of the libraries' C; where there
    /// is no C, mpi4py. Of libraries that are not here there is nothing to say.
    private static @Nullable Contender yardstick(Point point, Map<Contender, double[]> values) {
        Contender best = null;
        for (Map.Entry<Contender, double[]> entry : values.entrySet()) {
            Contender contender = entry.getKey();
            if (contender instanceof CContender) {
                if (!(best instanceof CContender)) best = contender;
                else if (point.test().takesTheBetter() && isFaster(point, entry.getValue(), values.get(best)))
                    best = contender;
            } else if (contender instanceof PythonContender && best == null) {
                best = contender;
            }
        }
        return best;
    }

    private static boolean isFaster(Point point, double[] values, double @Nullable [] others) {
        if (others == null) return true;
        double one = new Sample(values).median(), other = new Sample(others).median();
        return point.test().isBandwidth() ? one > other : one < other;
    }
}
