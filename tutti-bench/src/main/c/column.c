/* Half the time of a column of doubles to rank 1 and back, by MPI_Type_vector: the same shape as Column.java, to compare
 * Tutti with a library. Compile with the library's mpicc -O2; arguments: MIN MAX, in bytes of the column. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 1000, OUT = 3, IN = 7 };

static void ping_pong(int rank, double *out, double *in, MPI_Datatype column, int times) {
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send(out + OUT, 1, column, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in + IN, 1, column, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in + IN, 1, column, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out + OUT, 1, column, 0, 1, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv) {
    int level, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || argc != 3) {
        fprintf(stderr, "column: 2 ranks and two arguments, MIN and MAX, not %d and %d\n", size, argc - 1);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long min = atol(argv[1]), max = atol(argv[2]);
    for (long bytes = min < 8 ? 8 : min; bytes <= max; bytes *= 2) {
        long rows = bytes / 8, cells = rows * COLUMNS;
        double *out = malloc(cells * 8), *in = malloc(cells * 8);
        memset(out, 1, cells * 8);
        memset(in, 2, cells * 8);
        MPI_Datatype column;
        MPI_Type_vector(rows, 1, COLUMNS, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        int times = bytes <= 8192 ? 10000 : bytes <= 1 << 20 ? 1000 : 100;
        ping_pong(rank, out, in, column, bytes == min ? 50000 : times);
        double start = MPI_Wtime();
        ping_pong(rank, out, in, column, times);
        double end = MPI_Wtime();
        if (rank == 0) printf("%-10ld %18.3f\n", bytes, (end - start) * 1e6 / 2 / times);
        MPI_Type_free(&column);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
