package org.tutti.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The table of values and ratios.
final class ResultTable {
    private static final double NANOS_OF_MICRO = 1e3;

    private ResultTable() {}

    /// A line of the table.
    ///
    /// @param yardstick the contender to which the ratio refers; null for a yardstick, or a line without a
    ///     yardstick
    /// @param ratio the ratios of this contender's values to the yardstick's in the same launch
    /// @param addedNanos the time that Tutti adds to the C time of the same library; null if not applicable
    /// @param verdict whether Tutti's goal is reached; empty without a goal
    record Line(
            Point point,
            Contender contender,
            Sample value,
            @Nullable Contender yardstick,
            @Nullable Sample ratio,
            @Nullable Sample addedNanos,
            String verdict) {}

    static List<Line> of(Measurements measurements, List<Contender> order) {
        List<Line> lines = new ArrayList<>();
        for (Point point : measurements.points()) {
            Map<Contender, double[]> values = measurements.of(point);
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

    /// Returns the verdict on the goal, a median ratio of 1 or better. Only the shm engine has a goal. If the
    /// median misses the goal, but the interval contains a ratio of 1 or better, more launches or a quieter
    /// machine are needed to decide.
    private static String verdict(Point point, Contender contender, Sample ratio) {
        if (!(contender instanceof TuttiContender tutti) || tutti.library() != null) return "";
        boolean more = point.test().isBandwidth();
        if (more ? ratio.median() >= 1 : ratio.median() <= 1) return "reached";
        return (more ? ratio.high() >= 1 : ratio.low() <= 1) ? "within interval" : "not reached";
    }

    /// For Tutti over a library, returns the C contender of the same library.
    private static @Nullable Contender sameLibrary(Contender contender, Map<Contender, double[]> values) {
        if (!(contender instanceof TuttiContender tutti) || tutti.library() == null) return null;
        for (Contender other : values.keySet()) {
            if (other instanceof CContender c && c.library().equals(tutti.library())) return c;
        }
        return null;
    }

    /// Returns the C program over the faster library for collective operations, files and kernels; for other
    /// tests, the C program over Open MPI (over MPICH if Open MPI is not installed). Without values of a C
    /// program, returns mpi4py; null if mpi4py has no values, either.
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
