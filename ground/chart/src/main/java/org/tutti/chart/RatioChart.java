package org.tutti.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.tutti.chart.Drawing.Anchor;

/// Ratios with intervals, one below the other, on a logarithmic axis with a line at 1.
public record RatioChart(String title, String subtitle, List<Bar> bars) {
    private static final int WIDTH = 960, LEFT = 300, RIGHT = 40, TOP = 80, BOTTOM = 40, STEP = 20;
    private static final int TITLE = 18, LABEL = 13;
    private static final String INK = "#222222",
            FAINT = "#dddddd",
            GREY = "#666666",
            FAST = "#0072b2",
            SLOW = "#d55e00";

    /// A ratio.
    public record Bar(String name, double median, double low, double high) {}

    public void write(Path file) throws IOException {
        int bottom = TOP + STEP * bars.size() + STEP / 2;
        Drawing on = Drawing.of(file, WIDTH, bottom + BOTTOM);
        on.text(20, 32, title, Anchor.START, TITLE, INK);
        on.text(20, 54, subtitle, Anchor.START, LABEL, GREY);
        double[] values = bars.stream()
                .flatMapToDouble(b -> java.util.stream.DoubleStream.of(b.low, b.high, 1))
                .toArray();
        Ruler axis = Ruler.across(Axis.Scale.LOGARITHMIC, values, LEFT, WIDTH - RIGHT);
        for (double tick : axis.ticks()) {
            boolean one = Math.abs(tick - 1) < 1e-9;
            on.line(axis.at(tick), TOP - 10, axis.at(tick), bottom, one ? INK : FAINT, one ? 2 : 1);
            on.text(axis.at(tick), bottom + 18, axis.label(tick), Anchor.MIDDLE, LABEL, INK);
        }
        for (int i = 0; i < bars.size(); i++) draw(on, axis, bars.get(i), TOP + STEP / 2 + STEP * i);
        on.write(file);
    }

    private static void draw(Drawing on, Ruler axis, Bar bar, double y) {
        String colour = bar.low <= 1 ? FAST : SLOW;
        on.text(LEFT - 10, y + 4, bar.name, Anchor.END, LABEL, INK);
        on.line(axis.at(bar.low), y, axis.at(bar.high), y, colour, 2);
        on.mark(axis.at(bar.median), y, 0, colour);
    }
}
