/*
 * Multiplies two matrices: each rank gets some rows of the first matrix and all of the second matrix.
 *
 * The counterpart of the distributed matrix multiplication in "MPI + GPU", on CPUs. The number of rows need not be
 * divisible: the matrices are scattered and gathered in blocks of different sizes (MPI's "v" forms).
 *
 *     ./tutti run -n 3 examples/MatrixMultiply.java 200
 *
 *     rank 0 multiplies 67 rows
 *     rank 1 multiplies 67 rows
 *     rank 2 multiplies 66 rows
 *     the result is 200 x 200; largest difference from the product on one rank: 0.0
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main(String[] args) {
    int size = args.length > 0 ? Integer.parseInt(args[0]) : 500;

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] rows = new int[n], elements = new int[n]; // of each rank
        for (int r = 0; r < n; r++) {
            rows[r] = size / n + (r < size % n ? 1 : 0);
            elements[r] = rows[r] * size;
        }
        IO.println("rank " + me + " multiplies " + rows[me] + " rows");

        double[][] a = me == 0 ? randomMatrix(size, 1) : null, c = me == 0 ? new double[size][size] : null;
        double[][] b = me == 0 ? randomMatrix(size, 2) : new double[size][size];
        double[][] myA = new double[rows[me]][size];

        world.scatter(me == 0 ? buf(a).blocks(elements) : Buf.NONE, buf(myA), 0);
        world.bcast(buf(b), 0);
        double[][] myC = multiply(myA, b);
        world.gather(buf(myC), me == 0 ? buf(c).blocks(elements) : Buf.NONE, 0);

        if (me == 0) {
            double[][] expected = multiply(a, b);
            double difference = 0;
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) difference = Math.max(difference, Math.abs(c[i][j] - expected[i][j]));
            }
            IO.println("the result is " + size + " x " + size + "; largest difference from the product on one rank: "
                    + difference);
        }
    }
}

static double[][] randomMatrix(int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] m = new double[size][size];
    for (double[] row : m) Arrays.setAll(row, j -> random.nextDouble());
    return m;
}

static double[][] multiply(double[][] a, double[][] b) {
    double[][] c = new double[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
        for (int k = 0; k < b.length; k++) {
            double x = a[i][k];
            for (int j = 0; j < c[i].length; j++) c[i][j] += x * b[k][j]; // along rows, which are contiguous in memory
        }
    }
    return c;
}
