/* Half the time of a message to rank 1 and back: the same shape as Latency.java, to say what Tutti adds to the
 * library. Compile with the library's mpicc -O2; arguments: MIN MAX, in bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ping_pong(int rank, char *out, char *in, int bytes, int times) {
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv) {
    int level, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || argc != 3) {
        fprintf(stderr, "latency: 2 ranks and two arguments, MIN and MAX, not %d and %d\n", size, argc - 1);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long min = atol(argv[1]), max = atol(argv[2]);
    for (long bytes = min; bytes <= max; bytes = bytes ? 2 * bytes : 1) {
        char *out = malloc(bytes + 1), *in = malloc(bytes + 1);
        memset(out, 1, bytes + 1);
        memset(in, 2, bytes + 1);
        int times = bytes <= 8192 ? 10000 : bytes <= 1 << 20 ? 1000 : 100;
        ping_pong(rank, out, in, bytes, bytes == min ? 50000 : times);
        double start = MPI_Wtime();
        ping_pong(rank, out, in, bytes, times);
        double end = MPI_Wtime();
        if (rank == 0) printf("%-10ld %18.3f\n", bytes, (end - start) * 1e6 / 2 / times);
        free(out);
        free(in);
    }
    MPI_Finalize();
    return 0;
}
