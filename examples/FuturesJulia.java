/*
 * Draws a Julia set line by line: rank 0 writes the picture, and each other rank computes the next line when it is
 * free.
 *
 * The counterpart of mpi4py's demo julia.py, which maps over an MPIPoolExecutor.
 *
 *     ./tutti run -n 3 examples/FuturesJulia.java size=320 picture=julia.pgm
 *
 *     320 lines by 2 workers are in julia.pgm, checksum 33065247
 */

import java.nio.file.*;
import java.util.stream.IntStream;
import org.tutti.futures.*;

static byte[] line(int k, int width, int height) {
    byte[] line = new byte[width];
    for (int j = 0; j < width; j++) {
        double x = -2 + 4.0 * j / width, y = 1.5 - 3.0 * k / height;
        int n = 255;
        for (; n > 1 && x * x + y * y < 9; n--) {
            double t = x * x - y * y;
            y = 2 * x * y + 0.65;
            x = t;
        }
        line[j] = (byte) n;
    }
    return line;
}

void main(String[] args) throws IOException {
    RankPool.run(pool -> { // on rank 0; the other ranks run the tasks
        int height = Integer.parseInt(argument("size", "960", args)), width = height * 4 / 3;
        Path picture = Path.of(argument("picture", "julia.pgm", args));

        long sum = 0;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(picture))) {
            out.write("P5 %d %d 255\n".formatted(width, height).getBytes());
            for (byte[] line : pool.map(k -> line(k, width, height), IntStream.range(0, height))) { // in order
                out.write(line);
                for (byte b : line) sum += b & 255;
            }
        }
        IO.println("%d lines by %d workers are in %s, checksum %d".formatted(height, pool.workerCount(), picture, sum));
    });
}

String argument(String name, String otherwise, String... args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
