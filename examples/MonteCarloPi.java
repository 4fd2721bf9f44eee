/*
 * π by the Monte Carlo method, with a picture of the darts and a table of the speed-up by number of ranks.
 *
 * The counterpart of the Monte Carlo calculation of π in "Towards Python MPI for Artificial Intelligence and Deep
 * Learning Research", with the drawing and the benchmark that are exercises there, and of the calculation in "MPI +
 * GPU", on CPUs.
 *
 *     ./tutti run -n 4 examples/MonteCarloPi.java darts=4000000 picture=darts.png
 *
 *     ranks   seconds   speed-up   pi
 *         1     …   …   3.142164
 *         2     …   …   3.142164
 *         3     …   …   3.142164
 *         4     …   …   3.142164
 *     10000 darts are in darts.png
 *
 * Without "picture=" no picture is written.
 */

import java.awt.Color;
import java.awt.image.BufferedImage;
import javax.imageio.ImageIO;
import org.tutti.mpi.*;

static final int BLOCKS = 120, SHOWN = 10_000, PIXELS = 400;

void main(String[] args) throws IOException {
    long darts = Long.parseLong(argument("darts", "20000000", args));
    String picture = argument("picture", "", args);

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        if (me == 0) IO.println("ranks   seconds   speed-up   pi");
        for (int i = 0; i < 10; i++) throwDarts(me, n, darts / 10); // not counted: warm-up of the JVM
        double alone = 0;
        for (int ranks = 1; ranks <= n; ranks++) {
            // The first ranks throw the darts, in a separate communicator; the remaining ranks skip this round.
            try (OwnedComm players = world.split(me < ranks ? 0 : Comm.UNDEFINED, me)) {
                if (me < ranks) {
                    long inside = 0;
                    double seconds = Double.POSITIVE_INFINITY;
                    for (int round = 0; round < 3; round++) { // the best of three, because of other programs
                        players.barrier(); // start together
                        double start = Mpi.wtime();
                        inside = players.allreduce(throwDarts(me, ranks, darts), Op.SUM);
                        seconds = Math.min(seconds, Mpi.wtime() - start);
                    }
                    if (ranks == 1) alone = seconds;
                    if (me == 0) {
                        double pi = 4.0 * inside / darts;
                        IO.println("%5d %9.3f %10.2f   %.6f".formatted(ranks, seconds, alone / seconds, pi));
                    }
                }
            }
            world.barrier();
        }

        if (!picture.isEmpty()) {
            double[] mine = new SplittableRandom(me).doubles(2L * (SHOWN / n)).toArray(); // x, y, x, y, …
            List<double[]> all = world.gatherObject(mine, 0);
            if (me == 0) {
                ImageIO.write(draw(all), "png", new File(picture));
                IO.println(SHOWN / n * n + " darts are in " + picture);
            }
        }
    }
}

/// Returns the number of this rank's darts in the quarter circle. Each block of darts has a separate seed, so that
/// the darts are the same on any number of ranks.
static long throwDarts(int me, int ranks, long darts) {
    long inside = 0;
    for (int block = me; block < BLOCKS; block += ranks) {
        SplittableRandom random = new SplittableRandom(block);
        for (long i = darts * block / BLOCKS; i < darts * (block + 1) / BLOCKS; i++) {
            double x = random.nextDouble(), y = random.nextDouble();
            if (x * x + y * y < 1) inside++;
        }
    }
    return inside;
}

/// Draws the darts of each rank in a different colour, which is pale outside of the circle.
static BufferedImage draw(List<double[]> all) {
    System.setProperty("java.awt.headless", "true"); // no screen is needed
    BufferedImage image = new BufferedImage(PIXELS, PIXELS, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < PIXELS; x++) for (int y = 0; y < PIXELS; y++) image.setRGB(x, y, Color.WHITE.getRGB());
    for (int rank = 0; rank < all.size(); rank++) {
        double[] darts = all.get(rank);
        for (int i = 0; i < darts.length; i += 2) {
            double x = darts[i], y = darts[i + 1];
            float strength = x * x + y * y < 1 ? 1 : 0.3f;
            int colour = Color.HSBtoRGB((float) rank / all.size(), strength, 0.9f);
            int column = (int) (x * (PIXELS - 1)), row = (int) ((1 - y) * (PIXELS - 1));
            for (int d = 0; d < 4; d++) image.setRGB(column + d % 2, row + d / 2, colour); // 2 × 2 pixels
        }
    }
    return image;
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
