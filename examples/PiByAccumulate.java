/*
 * π as in Pi.java, one-sided: ranks get the number of slices from rank 0's window, and accumulate the results there,
 * while rank 0 processes slices, too.
 *
 * The counterpart of "cpi-rma" in MPI textbooks.
 *
 *     ./tutti run -n 4 examples/PiByAccumulate.java
 *
 *     pi is about 3.1415926536, error …
 */

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.ValueLayout;
import org.tutti.mpi.*;

static final int SLICES = 0, SUM = 1; // offsets in the window of rank 0

void main(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        try (Window window = Window.allocate(world, me == 0 ? 16 : 0, 8)) {
            long[] slices = {args.length > 0 ? Long.parseLong(args[0]) : 10_000_000};
            window.fence();
            if (me == 0) window.put(buf(slices), 0, SLICES);
            window.fence();
            window.get(buf(slices), 0, SLICES);
            window.fence(); // the number has arrived

            double width = 1.0 / slices[0], heights = 0;
            for (long i = me; i < slices[0]; i += n) {
                double x = (i + 0.5) * width;
                heights += 4 / (1 + x * x);
            }
            window.accumulate(buf(new double[] {heights * width}), 0, SUM, Op.SUM);
            window.fence(Window.Assert.NOSUCCEED); // all sums are complete

            if (me == 0) {
                double pi = window.memory().getAtIndex(ValueLayout.JAVA_DOUBLE, SUM);
                IO.println("pi is about %.10f, error %.1e".formatted(pi, Math.abs(pi - Math.PI)));
            }
        }
    }
}
