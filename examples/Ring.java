/*
 * A token is passed around the ring of ranks, and each rank adds to it.
 *
 * The ring that "Towards Python MPI for Artificial Intelligence and Deep Learning Research" suggests, in two forms:
 * the ranks pass on one token, or all ranks send at the same time.
 *
 *     ./tutti run -n 4 examples/Ring.java
 *
 *     the token visited 4 ranks and returned as 6, after … µs
 *     rank 0: the sum of all ranks is 6
 *     rank 1: the sum of all ranks is 6
 *     rank 2: the sum of all ranks is 6
 *     rank 3: the sum of all ranks is 6
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;
        passOn(world, me, n, right, left);
        allAtOnce(mpi, world, me, n, right, left);
    }
}

/// Rank 0 sends first and receives last; all other ranks wait for the token before passing it on.
void passOn(Comm world, int me, int n, int right, int left) {
    if (n == 1) return; // no other rank
    int[] token = {0};
    world.barrier(); // start together
    double start = Mpi.wtime();
    if (me == 0) {
        world.send(buf(token), right);
        world.recv(buf(token), left);
        double micros = 1e6 * (Mpi.wtime() - start);
        IO.println("the token visited %d ranks and returned as %d, after %.0f µs".formatted(n, token[0], micros));
    } else {
        world.recv(buf(token), left);
        token[0] += me;
        world.send(buf(token), right);
    }
}

/// In n - 1 steps every rank's number passes every other rank. The receive is started before the send, because
/// all ranks send at the same time, and would otherwise wait for each other.
void allAtOnce(Mpi mpi, Comm world, int me, int n, int right, int left) {
    int[] token = {me}, incoming = new int[1];
    int sum = me;
    for (int step = 1; step < n; step++) {
        try (Requests requests = mpi.requests()) {
            requests.add(world.irecv(buf(incoming), left, step));
            requests.add(world.isend(buf(token), right, step));
            requests.awaitAll();
        }
        token[0] = incoming[0];
        sum += token[0];
    }
    IO.println("rank " + me + ": the sum of all ranks is " + sum);
}
