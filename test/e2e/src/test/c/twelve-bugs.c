#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The twelve bugs of programs.TwelveBugs in C, for the middle columns of docs/mistakes.md:
 *     mpicc.openmpi twelve-bugs.c && timeout -k 2 6 mpirun -n 2 ./a.out root */
int main(int argc, char **argv) {
    int me; const char *bug = argv[1]; MPI_Comm world = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv); MPI_Comm_rank(world, &me);
    static int in[40000], out[40000]; float f[4]; MPI_Comm copy; MPI_Request r;
    for (int i = 0; i < 40000; i++) { in[i] = 1; out[i] = -9; }
    if (!strcmp(bug, "root")) { MPI_Bcast(in, 4, MPI_INT, me == 0 ? 0 : 1, world); }
    else if (!strcmp(bug, "op")) { MPI_Allreduce(in, out, 4, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, world); printf("rank %d has %d\n", me, out[0]); }
    else if (!strcmp(bug, "count")) { MPI_Allreduce(in, out, me == 0 ? 4 : 8, MPI_INT, MPI_SUM, world); printf("rank %d has %d .. %d\n", me, out[0], out[me == 0 ? 3 : 7]); }
    else if (!strcmp(bug, "countbig")) {
        int n = me == 0 ? 20000 : 40000; int *a = calloc(n, 4), *b = calloc(n, 4);
        MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, world); free(a); free(b); printf("rank %d is through\n", me); }
    else if (!strcmp(bug, "mix")) { if (me == 0) MPI_Barrier(world); else MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world); }
    else if (!strcmp(bug, "dtype")) { if (me == 0) MPI_Send(in, 4, MPI_INT, 1, 3, world); else { MPI_Recv(f, 4, MPI_FLOAT, 0, 3, world, MPI_STATUS_IGNORE); printf("rank 1 has %g\n", f[0]); } }
    else if (!strcmp(bug, "trunc")) { if (me == 0) MPI_Send(in, 16, MPI_INT, 1, 3, world); else MPI_Recv(out, 4, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE); }
    else if (!strcmp(bug, "dead")) { MPI_Recv(in, 1, MPI_INT, 1 - me, 0, world, MPI_STATUS_IGNORE); MPI_Send(out, 1, MPI_INT, 1 - me, 0, world); }
    else if (!strcmp(bug, "early")) { if (me == 1) MPI_Recv(in, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE); }
    else if (!strcmp(bug, "skip")) { if (me == 0) MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world); MPI_Barrier(world); if (me == 1) MPI_Barrier(world); }
    else if (!strcmp(bug, "leak")) { MPI_Comm_dup(world, &copy); if (me == 0) MPI_Irecv(in, 1, MPI_INT, 1, 77, copy, &r); }
    else if (!strcmp(bug, "lost")) { if (me == 0) MPI_Send(in, 1, MPI_INT, 1, 5, world); }
    MPI_Finalize(); return 0;
}
