// A token travels round the ring of processes, and everyone adds to it:   ./tutti run -n 4 examples/Ring.java

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main(String[] args) {
    try (Mpi mpi = Mpi.init(args)) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), right = (me + 1) % n, left = (me + n - 1) % n;

        // In n - 1 steps every rank's number passes every other rank. Receiving is asked for before sending: with all ranks
        // sending at once, nobody may wait for its neighbour first.
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
        if (sum != n * (n - 1) / 2) throw new AssertionError("not " + n * (n - 1) / 2);
    }
}
