package org.tutti.chart;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// A white canvas; x increases to the right, y downwards.
interface Drawing {
    /// The part of a text that is placed at the given position.
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /// Returns whether the extension of the file name is supported.
    static boolean isSupported(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".svg") || name.endsWith(PNG);
    }

    /// Returns a canvas for the file.
    ///
    /// @throws IOException if PNG cannot be drawn because Java has no font, or because the program consists
    ///     of modules without java.desktop
    static Drawing of(Path file, int width, int height) throws IOException {
        boolean png = file.toString().toLowerCase(Locale.ROOT).endsWith(PNG);
        if (!png) return new SvgDrawing(width, height);
        if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
            throw new IOException(file + ": a PNG needs the module java.desktop, which this program does not have;"
                    + " add --add-modules java.desktop, or draw an .svg");
        }
        return new PngDrawing(width, height);
    }

    String PNG = ".png";

    /// Half the size of a mark.
    double MARK = 4;

    void line(double x1, double y1, double x2, double y2, String colour, double width);

    /// Draws a line through points, given by the x and y of each point.
    void path(List<double[]> points, String colour, double width, boolean dashed);

    /// Draws a mark. The shape is a circle, a square, a diamond or a triangle, selected by `shape` modulo 4.
    void mark(double x, double y, int shape, String colour);

    void text(double x, double y, String text, Anchor anchor, int size, String colour);

    /// Draws text that runs upwards, centred at the position.
    void upwards(double x, double y, String text, int size, String colour);

    void write(Path file) throws IOException;

    /// Returns the corners of a mark; none for a circle.
    static List<double[]> corners(double x, double y, int shape) {
        return switch (shape % 4) {
            case 0 -> List.of();
            case 1 ->
                List.of(
                        new double[] {x - MARK, y - MARK},
                        new double[] {x + MARK, y - MARK},
                        new double[] {x + MARK, y + MARK},
                        new double[] {x - MARK, y + MARK});
            case 2 ->
                List.of(
                        new double[] {x, y - MARK - 1},
                        new double[] {x + MARK + 1, y},
                        new double[] {x, y + MARK + 1},
                        new double[] {x - MARK - 1, y});
            default ->
                List.of(new double[] {x, y - MARK - 1}, new double[] {x + MARK, y + MARK}, new double[] {
                    x - MARK, y + MARK
                });
        };
    }
}
