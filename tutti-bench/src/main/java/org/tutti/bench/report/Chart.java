package org.tutti.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tutti.bench.report.Drawing.Anchor;

/// Curves over two logarithmic axes: sizes in powers of two across, times or bandwidths up.
///
/// @param subtitle what was measured; may be empty
/// @param across what the horizontal axis is, up what the vertical one is
public record Chart(String title, String subtitle, String across, String up, List<Series> series) {
    private static final int WIDTH = 960, HEIGHT = 540;
    private static final int LEFT = 80, RIGHT = 230, TOP = 70, BOTTOM = 60;
    private static final int MOST_LABELS_ACROSS = 12;
    private static final int TITLE = 18, LABEL = 13;
    private static final double KI = 1024;

    /// Told apart also by who does not see red and green alike (Okabe and Ito).
    private static final String[] COLOURS = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31"
    };

    private static final String INK = "#222222", FAINT = "#dddddd", GREY = "#666666";

    /// One curve.
    ///
    /// @param points x and y of each, in the order in which they are connected
    public record Series(String name, List<double[]> points) {}

    /// @throws IOException also where PNG cannot be drawn, because Java finds no font
    public void write(Path file) throws IOException {
        Drawing drawing = Drawing.of(file, WIDTH, HEIGHT);
        draw(drawing);
        drawing.write(file);
    }

    private void draw(Drawing on) {
        Axis x = Axis.of(values(0), 2, LEFT, WIDTH - RIGHT), y = Axis.of(values(1), 10, HEIGHT - BOTTOM, TOP);
        on.text(LEFT, TOP - 38, title, Anchor.START, TITLE, INK);
        on.text(LEFT, TOP - 16, subtitle, Anchor.START, LABEL, GREY);
        grid(on, x, y);
        for (int s = 0; s < series.size(); s++) curve(on, s, x, y);
        legend(on);
    }

    /// All finite and positive ones: a logarithm has no place for others.
    private double[] values(int coordinate) {
        return series.stream()
                .flatMap(s -> s.points.stream())
                .mapToDouble(p -> p[coordinate])
                .filter(v -> v > 0 && Double.isFinite(v))
                .toArray();
    }

    private void grid(Drawing on, Axis x, Axis y) {
        double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
        for (double tick : y.tens()) {
            on.line(LEFT, y.at(tick), right, y.at(tick), FAINT, 1);
            on.text(LEFT - 8, y.at(tick) + 4, number(tick), Anchor.END, LABEL, INK);
        }
        if (!across.isEmpty()) {
            for (double tick : x.powersOfTwo(MOST_LABELS_ACROSS)) {
                on.line(x.at(tick), TOP, x.at(tick), bottom, FAINT, 1);
                on.text(x.at(tick), bottom + 18, bytes(tick), Anchor.MIDDLE, LABEL, INK);
            }
            on.text((LEFT + right) / 2, HEIGHT - 16, across, Anchor.MIDDLE, LABEL, INK);
        }
        on.line(LEFT, bottom, right, bottom, INK, 1);
        on.line(LEFT, TOP, LEFT, bottom, INK, 1);
        on.upwards(20, (TOP + bottom) / 2, up, LABEL, INK);
    }

    private void curve(Drawing on, int s, Axis x, Axis y) {
        List<double[]> places = new ArrayList<>();
        for (double[] p : series.get(s).points) {
            if (p[0] > 0 && p[1] > 0 && Double.isFinite(p[1])) places.add(new double[] {x.at(p[0]), y.at(p[1])});
        }
        on.path(places, colour(s), 2, s >= COLOURS.length);
        for (double[] p : places) on.mark(p[0], p[1], s, colour(s));
    }

    private void legend(Drawing on) {
        double left = WIDTH - RIGHT + 20;
        for (int s = 0; s < series.size(); s++) {
            double y = TOP + 10 + 22.0 * s;
            on.path(List.of(new double[] {left, y}, new double[] {left + 26, y}), colour(s), 2, s >= COLOURS.length);
            on.mark(left + 13, y, s, colour(s));
            on.text(left + 34, y + 4, series.get(s).name, Anchor.START, LABEL, INK);
        }
    }

    private static String colour(int s) {
        return COLOURS[s % COLOURS.length];
    }

    /// `512`, `64 Ki`, `4 Mi`.
    private static String bytes(double value) {
        if (value < KI) return number(value);
        if (value < KI * KI) return number(value / KI) + " Ki";
        return value < KI * KI * KI ? number(value / KI / KI) + " Mi" : number(value / KI / KI / KI) + " Gi";
    }

    /// Without zeros behind the point.
    static String number(double value) {
        return new java.math.BigDecimal(value)
                .round(new java.math.MathContext(3))
                .stripTrailingZeros()
                .toPlainString();
    }
}
