// π as the area under 4 / (1 + x²) from 0 to 1, in slices dealt out to all processes:   ./tutti run -n 4 examples/Pi.java

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main(String[] args) {
    try (Mpi mpi = Mpi.init(args)) {
        Comm world = mpi.world();
        int slices = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
        double width = 1.0 / slices;

        double start = Mpi.wtime();
        double heights = 0;
        for (int i = world.rank(); i < slices; i += world.size()) {
            double x = (i + 0.5) * width;
            heights += 4 / (1 + x * x);
        }
        double[] area = {heights * width};
        world.reduce(buf(area), Op.SUM, 0); // in place: rank 0 has the sum afterwards
        double seconds = Mpi.wtime() - start;

        if (world.rank() == 0) {
            IO.println("pi is about %.12f, error %.1e, %.3f s".formatted(area[0], Math.abs(area[0] - Math.PI), seconds));
        }
    }
}
