/*
 * Multiplies a matrix with a vector repeatedly: each rank has some rows of the matrix, all ranks have the whole
 * vector.
 *
 * Power iteration: the vector converges to the direction that the matrix stretches most, and the stretch to the
 * largest eigenvalue. In each step a rank computes some elements of the next vector, and an allgather distributes
 * these elements to all ranks. The counterpart of the parallel matrix-vector product in mpi4py's tutorial.
 *
 *     ./tutti run -n 3 examples/MatrixVector.java 200
 *
 *     rank 0 has rows 0 … 66
 *     rank 1 has rows 67 … 133
 *     rank 2 has rows 134 … 199
 *     after 30 steps: the largest eigenvalue of the 200 x 200 matrix is 99.82163009763384
 *     largest difference from the same on one rank: 0.0
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int STEPS = 30;

void main(String[] args) {
    int size = args.length > 0 ? Integer.parseInt(args[0]) : 1000;

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        int[] rows = new int[n]; // of each rank
        for (int r = 0; r < n; r++) rows[r] = size / n + (r < size % n ? 1 : 0);
        int first = Arrays.stream(rows, 0, me).sum();
        IO.println("rank " + me + " has rows " + first + " … " + (first + rows[me] - 1));

        double[][] mine = rows(first, rows[me], size);
        double[] vector = start(size);
        Buf whole = buf(vector).blocks(rows); // a block for each rank, longer ones for the first
        double eigenvalue = 0;
        for (int step = 0; step < STEPS; step++) {
            double[] part = multiply(mine, vector);
            world.allgather(buf(part), whole);
            eigenvalue = normalize(vector);
        }

        if (me == 0) {
            IO.println("after " + STEPS + " steps: the largest eigenvalue of the " + size + " x " + size
                    + " matrix is " + eigenvalue);
            double[][] all = rows(0, size, size);
            double[] expected = start(size);
            for (int step = 0; step < STEPS; step++) {
                expected = multiply(all, expected);
                normalize(expected);
            }
            double difference = 0;
            for (int i = 0; i < size; i++) difference = Math.max(difference, Math.abs(vector[i] - expected[i]));
            IO.println("largest difference from the same on one rank: " + difference);
        }
    }
}

/// Returns rows of a random matrix; each row has a separate seed, so it is the same on any rank.
static double[][] rows(int first, int count, int size) {
    double[][] rows = new double[count][];
    for (int i = 0; i < count; i++) rows[i] = new SplittableRandom(first + i).doubles(size).toArray();
    return rows;
}

static double[] start(int size) {
    double[] vector = new double[size];
    vector[0] = 1;
    return vector;
}

static double[] multiply(double[][] rows, double[] vector) {
    double[] product = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
        for (int j = 0; j < vector.length; j++) product[i] += rows[i][j] * vector[j];
    }
    return product;
}

/// Scales the vector to length one, and returns the previous length.
static double normalize(double[] vector) {
    double squares = 0;
    for (double x : vector) squares += x * x;
    double length = Math.sqrt(squares);
    for (int i = 0; i < vector.length; i++) vector[i] /= length;
    return length;
}
