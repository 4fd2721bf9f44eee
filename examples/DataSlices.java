/*
 * Rank 0 sends a slice of an array to each rank, processes a slice itself, and adds up all results.
 *
 * The counterpart of the last program in "Programming Machine Learning Algorithms for HPC: MPI4py" (create, slice,
 * compute, collect). ScatterComputeGather.java does the same with collective operations.
 *
 *     ./tutti run -n 3 examples/DataSlices.java
 *
 *     rank 0 on … has created 30 numbers: 0 … 29
 *     rank 0 sent the slice 10 … 19 to rank 1
 *     rank 0 sent the slice 20 … 29 to rank 2
 *     rank 0 computed its result: 45
 *     rank 1 on … received the slice [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
 *     rank 1 computed its result: 145
 *     rank 2 on … received the slice [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
 *     rank 2 computed its result: 245
 *     rank 0 received a result from rank 1
 *     rank 0 received a result from rank 2
 *     Final aggregated result: 435
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int SLICE = 10; // numbers per rank

void main() throws InterruptedException {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();
        String host = mpi.processorName();

        if (me == 0) {
            // 1. Create the data.
            int[] data = new int[SLICE * n];
            Arrays.setAll(data, i -> i);
            IO.println("rank 0 on " + host + " has created " + data.length + " numbers: 0 … " + (data.length - 1));

            // 2. Send each rank a slice of the array, without a copy.
            for (int dest = 1; dest < n; dest++) {
                int start = dest * SLICE;
                world.send(buf(data, start, SLICE), dest);
                IO.println("rank 0 sent the slice " + start + " … " + (start + SLICE - 1) + " to rank " + dest);
            }

            // 3. Compute this rank's slice.
            long[] result = {sum(Arrays.copyOf(data, SLICE))};
            IO.println("rank 0 computed its result: " + result[0]);

            // 4. Add up the results of the other ranks, in order of arrival.
            long total = result[0];
            for (int i = 1; i < n; i++) {
                Status status = world.recv(buf(result)); // from any rank: ANY_SOURCE, as in mpi4py
                total += result[0];
                IO.println("rank 0 received a result from rank " + status.source());
            }
            IO.println("Final aggregated result: " + total);
        } else {
            int[] slice = new int[SLICE];
            world.recv(buf(slice), 0);
            IO.println("rank " + me + " on " + host + " received the slice " + Arrays.toString(slice));

            Thread.sleep(new Random().nextInt(10, 50)); // simulates slow work
            long[] result = {sum(slice)};
            IO.println("rank " + me + " computed its result: " + result[0]);
            world.send(buf(result), 0);
        }
    }
}

static long sum(int[] numbers) {
    return Arrays.stream(numbers).asLongStream().sum();
}
