package org.tutti.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/// A canvas for a PNG file, with twice the resolution of the coordinates. Requires a system font, but no window
/// system.
final class PngDrawing implements Drawing {
    private static final int FINENESS = 2;
    private static final float[] DASHES = {6, 4};

    private final BufferedImage image;
    private final Graphics2D graphics;

    /// Creates the canvas. Throws an [IOException] if Java has no font.
    PngDrawing(int width, int height) throws IOException {
        System.setProperty("java.awt.headless", "true");
        image = new BufferedImage(FINENESS * width, FINENESS * height, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.scale(FINENESS, FINENESS);
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
        try {
            font(1).stringWidth("0");
        } catch (RuntimeException | LinkageError e) { // no fontconfig, no font file
            throw new IOException("a PNG needs a font, and Java has no font here (" + e.getMessage()
                    + "); install fontconfig and a font, or draw an .svg");
        }
    }

    private FontMetrics font(int size) {
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, size));
        return graphics.getFontMetrics();
    }

    @Override
    public void line(double x1, double y1, double x2, double y2, String colour, double width) {
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke((float) width));
        graphics.draw(new Line2D.Double(x1, y1, x2, y2));
    }

    @Override
    public void path(List<double[]> points, String colour, double width, boolean dashed) {
        if (points.isEmpty()) return;
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke(
                (float) width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, dashed ? DASHES : null, 0));
        graphics.draw(outline(points));
    }

    private static Path2D outline(List<double[]> points) {
        Path2D outline = new Path2D.Double();
        outline.moveTo(points.getFirst()[0], points.getFirst()[1]);
        for (double[] p : points.subList(1, points.size())) outline.lineTo(p[0], p[1]);
        return outline;
    }

    @Override
    public void mark(double x, double y, int shape, String colour) {
        graphics.setColor(Color.decode(colour));
        List<double[]> corners = Drawing.corners(x, y, shape);
        if (corners.isEmpty()) graphics.fill(new Ellipse2D.Double(x - MARK, y - MARK, 2 * MARK, 2 * MARK));
        else graphics.fill(outline(corners));
    }

    @Override
    public void text(double x, double y, String text, Anchor anchor, int size, String colour) {
        int width = font(size).stringWidth(text);
        double left = switch (anchor) {
            case START -> x;
            case MIDDLE -> x - width / 2.0;
            case END -> x - width;
        };
        graphics.setColor(Color.decode(colour));
        graphics.drawString(text, (float) left, (float) y);
    }

    @Override
    public void upwards(double x, double y, String text, int size, String colour) {
        AffineTransform before = graphics.getTransform();
        graphics.translate(x, y);
        graphics.rotate(-Math.PI / 2);
        text(0, 0, text, Anchor.MIDDLE, size, colour);
        graphics.setTransform(before);
    }

    @Override
    public void write(Path file) throws IOException {
        graphics.dispose();
        if (!ImageIO.write(image, "png", file.toFile())) throw new IOException("Java writes no PNG files here");
    }
}
