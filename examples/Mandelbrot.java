/*
 * Draws the Mandelbrot set: each rank computes some rows of the picture, rank 0 writes it to a file.
 *
 * Rows in the middle take much longer than rows at the edges, so rows are assigned round-robin: with three ranks,
 * rank 1 has rows 1, 4, 7 and so on. All ranks then have about the same amount of work.
 *
 *     ./tutti run -n 3 examples/Mandelbrot.java picture=mandelbrot.png
 *
 *     rank 0 computed 107 rows in 13182107 steps
 *     rank 1 computed 107 rows in 13275416 steps
 *     rank 2 computed 106 rows in 13179472 steps
 *     the picture of 480 x 320 is in mandelbrot.png
 *
 * Other options: width=N; without "picture=" no file is written.
 */

import static org.tutti.mpi.Buf.buf;

import java.awt.Color;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;
import org.tutti.mpi.*;

static final int STEPS = 1000;

void main(String[] args) throws IOException {
    int width = Integer.parseInt(argument("width", "480", args)), height = width * 2 / 3;
    String picture = argument("picture", "", args);

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] rows = new int[n], pixels = new int[n]; // of each rank
        for (int r = 0; r < n; r++) {
            rows[r] = (height - r + n - 1) / n;
            pixels[r] = rows[r] * width;
        }
        int[] mine = new int[pixels[me]];
        long steps = 0;
        for (int i = 0; i < mine.length; i++) {
            int column = i % width, row = me + i / width * n;
            mine[i] = escape(-2.25 + 3.0 * column / width, 1.0 - 2.0 * row / height);
            steps += mine[i];
        }
        IO.println("rank " + me + " computed " + rows[me] + " rows in " + steps + " steps");

        int[] all = new int[me == 0 ? width * height : 0];
        world.gather(buf(mine), me == 0 ? buf(all).blocks(pixels) : Buf.NONE, 0);
        if (me == 0 && !picture.isEmpty()) {
            System.setProperty("java.awt.headless", "true"); // no screen is needed
            BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
            int at = 0;
            for (int r = 0; r < n; r++) { // the rows of rank 0, then of rank 1, …
                for (int y = r; y < height; y += n) {
                    for (int x = 0; x < width; x++) image.setRGB(x, y, color(all[at++]));
                }
            }
            ImageIO.write(image, "png", new File(picture));
            IO.println("the picture of " + width + " x " + height + " is in " + picture);
        }
    }
}

/// Returns the number of steps of z ← z² + c after which z certainly diverges; STEPS if z does not diverge, in
/// which case c is a point of the set.
static int escape(double re, double im) {
    double x = 0, y = 0;
    int steps = 0;
    while (steps < STEPS && x * x + y * y < 4) {
        double real = x * x - y * y + re;
        y = 2 * x * y + im;
        x = real;
        steps++;
    }
    return steps;
}

static int color(int steps) {
    if (steps == STEPS) return 0;
    float t = (float) (Math.log(steps) / Math.log(STEPS));
    return Color.HSBtoRGB(0.65f - 0.5f * t, 0.9f - 0.6f * t, 0.3f + 0.7f * t);
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
