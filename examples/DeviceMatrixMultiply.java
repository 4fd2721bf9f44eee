/*
 * Multiplies two matrices: each rank's device has some rows of the first matrix and all of the second matrix.
 *
 * The counterpart of "Distributed Matrix Multiplication" in "MPI + CuPy" of "MPI + GPU". All matrices stay on the
 * devices; messages are sent from there.
 *
 *     ./tutti run -n 4 examples/DeviceMatrixMultiply.java
 *
 *     96 × 96 on 4 ranks: the sum of all elements is 5308626, the last element 580
 */

import static org.tutti.mpi.Buf.*;

import org.tutti.device.*;
import org.tutti.mpi.*;

static final int N = 96; // a multiple of 1, 2, 3 and 4

void main() {
    try (Mpi mpi = Mpi.init();
            Device device = Device.forRank(mpi.world())) {
        Comm world = mpi.world();
        boolean isRoot = world.rank() == 0;
        int rows = N / world.size();
        if (rows * world.size() != N) throw new IllegalArgumentException(N + " rows are not for " + world.size());

        DeviceBuffer b = isRoot ? device.of(matrix(3, 5)) : device.zeros(Datatype.FLOAT, N * N);
        DeviceBuffer a = isRoot ? device.of(matrix(1, 7)) : null, c = isRoot ? device.zeros(Datatype.FLOAT, N * N) : null;
        DeviceBuffer myA = device.zeros(Datatype.FLOAT, rows * N), myC = device.zeros(Datatype.FLOAT, rows * N);

        world.scatter(a == null ? NONE : buf(a), buf(myA), 0);
        world.bcast(buf(b), 0);
        device.arrays().matmul(rows, N, N, myA, b, myC);
        world.gather(buf(myC), c == null ? NONE : buf(c), 0);

        if (c != null) {
            IO.println("%d × %d on %d ranks: the sum of all elements is %.0f, the last element %.0f".formatted(
                    N, N, world.size(), device.arrays().sum(c), c.slice(N * N - 1, 1).toFloats()[0]));
        }
    }
}

static float[] matrix(int factor, int modulus) {
    float[] values = new float[N * N];
    for (int i = 0; i < values.length; i++) values[i] = (factor * (i / N) + i % N) % modulus;
    return values;
}
