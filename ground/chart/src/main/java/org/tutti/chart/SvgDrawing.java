package org.tutti.chart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// A canvas for an SVG file; requires only a file system.
final class SvgDrawing implements Drawing {
    private final StringBuilder text = new StringBuilder();

    SvgDrawing(int width, int height) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">",
                width, height, width, height);
        add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", width, height);
    }

    private void add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    @Override
    public void line(double x1, double y1, double x2, double y2, String colour, double width) {
        add(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
                x1, y1, x2, y2, colour, width);
    }

    @Override
    public void path(List<double[]> points, String colour, double width, boolean dashed) {
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"%s/>",
                list(points), colour, width, dashed ? " stroke-dasharray=\"6 4\"" : "");
    }

    private static String list(List<double[]> points) {
        StringBuilder list = new StringBuilder();
        for (double[] p : points) list.append(String.format(Locale.ROOT, "%.1f,%.1f ", p[0], p[1]));
        return list.toString().strip();
    }

    @Override
    public void mark(double x, double y, int shape, String colour) {
        List<double[]> corners = Drawing.corners(x, y, shape);
        if (corners.isEmpty()) add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>", x, y, MARK, colour);
        else add("<polygon points=\"%s\" fill=\"%s\"/>", list(corners), colour);
    }

    @Override
    public void text(double x, double y, String text, Anchor anchor, int size, String colour) {
        add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>",
                x, y, anchor.name().toLowerCase(Locale.ROOT), size, colour, escaped(text));
    }

    @Override
    public void upwards(double x, double y, String text, int size, String colour) {
        add(
                "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" font-size=\"%d\""
                        + " fill=\"%s\">%s</text>",
                x, y, size, colour, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    @Override
    public void write(Path file) throws IOException {
        Files.writeString(file, text + "</svg>\n", StandardCharsets.UTF_8);
    }
}
