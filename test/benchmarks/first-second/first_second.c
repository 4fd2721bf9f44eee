/* The same as FirstSecond.java, in C: mpicc -O2 first_second.c */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { WINDOWS = 16, CALLS = 100 };
static const double WINDOW = 0.25;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, is_message = argc > 1 && strcmp(argv[1], "message") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char data[8] = {0};
    double in = 0, out, times[WINDOWS];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int window = 0; window < WINDOWS; window++) {
        double begin = MPI_Wtime(), now;
        int calls = 0, is_over;
        do {
            for (int i = 0; i < CALLS; i++) {
                if (!is_message) {
                    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                } else if (rank == 0) {
                    MPI_Send(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                    MPI_Recv(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                } else {
                    MPI_Recv(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    MPI_Send(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                }
            }
            calls += is_message ? 2 * CALLS : CALLS;
            now = MPI_Wtime();
            is_over = now - begin >= WINDOW;
            MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
        } while (!is_over);
        times[window] = (now - begin) * 1e6 / calls;
    }
    for (int window = 0; rank == 0 && window < WINDOWS; window++) printf("%.3f ", times[window]);
    if (rank == 0) printf("\n");
    MPI_Finalize();
    return 0;
}
