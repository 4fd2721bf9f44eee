package org.tutti.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tutti.chart.Drawing.Anchor;

/// Curves over two axes. Points that an axis cannot show are omitted.
///
/// @param subtitle the measured quantity; may be empty
/// @param across the horizontal axis
/// @param up the vertical axis
public record Chart(String title, String subtitle, Axis across, Axis up, List<Series> series) {
    private static final int WIDTH = 960, HEIGHT = 540;
    private static final int LEFT = 80, RIGHT = 230, TOP = 70, BOTTOM = 60;
    private static final int TITLE = 18, LABEL = 13;

    /// The maximum number of points with marks. With more points, the marks would overlap.
    private static final int MOST_MARKS = 40;

    /// Colours that are distinguishable even with red-green colour blindness (Okabe and Ito).
    private static final String[] COLOURS = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31"
    };

    private static final String INK = "#222222", FAINT = "#dddddd", GREY = "#666666";

    /// A curve.
    ///
    /// @param points x and y of each point, in drawing order
    public record Series(String name, List<double[]> points) {}

    /// Returns whether the extension of the file name is supported.
    public static boolean canDraw(Path file) {
        return Drawing.isSupported(file);
    }

    /// Draws the chart to an SVG file, or to a PNG file if the name has this extension.
    ///
    /// @throws IOException if the file cannot be written, or if a PNG file is requested and Java has no font or
    /// no module java.desktop
    public void write(Path file) throws IOException {
        Drawing drawing = Drawing.of(file, WIDTH, HEIGHT);
        draw(drawing);
        drawing.write(file);
    }

    private void draw(Drawing on) {
        Ruler x = Ruler.across(across.scale(), values(0, across), LEFT, WIDTH - RIGHT);
        Ruler y = Ruler.up(up.scale(), values(1, up), HEIGHT - BOTTOM, TOP);
        on.text(LEFT, TOP - 38, title, Anchor.START, TITLE, INK);
        on.text(LEFT, TOP - 16, subtitle, Anchor.START, LABEL, GREY);
        grid(on, x, y);
        for (int s = 0; s < series.size(); s++) curve(on, s, x, y);
        legend(on);
    }

    private double[] values(int coordinate, Axis axis) {
        return series.stream()
                .flatMap(s -> s.points.stream())
                .mapToDouble(p -> p[coordinate])
                .filter(axis::has)
                .toArray();
    }

    private void grid(Drawing on, Ruler x, Ruler y) {
        double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT;
        for (double tick : y.ticks()) {
            on.line(LEFT, y.at(tick), right, y.at(tick), FAINT, 1);
            on.text(LEFT - 8, y.at(tick) + 4, y.label(tick), Anchor.END, LABEL, INK);
        }
        if (!across.name().isEmpty()) {
            for (double tick : x.ticks()) {
                on.line(x.at(tick), TOP, x.at(tick), bottom, FAINT, 1);
                on.text(x.at(tick), bottom + 18, x.label(tick), Anchor.MIDDLE, LABEL, INK);
            }
            on.text((LEFT + right) / 2, HEIGHT - 16, across.name(), Anchor.MIDDLE, LABEL, INK);
        }
        on.line(LEFT, bottom, right, bottom, INK, 1);
        on.line(LEFT, TOP, LEFT, bottom, INK, 1);
        on.upwards(20, (TOP + bottom) / 2, up.name(), LABEL, INK);
    }

    private void curve(Drawing on, int s, Ruler x, Ruler y) {
        List<double[]> places = new ArrayList<>();
        for (double[] p : series.get(s).points) {
            if (across.has(p[0]) && up.has(p[1])) places.add(new double[] {x.at(p[0]), y.at(p[1])});
        }
        on.path(places, colour(s), 2, s >= COLOURS.length);
        if (places.size() > MOST_MARKS) return;
        for (double[] p : places) on.mark(p[0], p[1], s, colour(s));
    }

    private void legend(Drawing on) {
        double left = WIDTH - RIGHT + 20;
        for (int s = 0; s < series.size(); s++) {
            double y = TOP + 10 + 22.0 * s;
            on.path(List.of(new double[] {left, y}, new double[] {left + 26, y}), colour(s), 2, s >= COLOURS.length);
            if (series.get(s).points.size() <= MOST_MARKS) on.mark(left + 13, y, s, colour(s));
            on.text(left + 34, y + 4, series.get(s).name, Anchor.START, LABEL, INK);
        }
    }

    private static String colour(int s) {
        return COLOURS[s % COLOURS.length];
    }
}
