/*
 * A program that starts ranks, like torch.multiprocessing.spawn, and continues when all ranks have terminated.
 *
 * Each rank is a process that runs the lambda. The lambda can use all code of this file, but no variables of the
 * program that starts it: values are passed as arguments. In a named class, `Worker::work` or `Worker.class` can be
 * used, too.
 *
 *     ./tutti run -n 1 examples/Spawn.java
 *
 *     starting 3 ranks
 *     rank 0 of 3 adds up 1 to 33
 *     rank 1 of 3 adds up 34 to 66
 *     rank 2 of 3 adds up 67 to 100
 *     the sum is 5050
 *     all have ended
 *
 * No launcher is needed: java -cp 'tools/cli/target/lib/*' examples/Spawn.java does the same, with the java of a JDK
 * 25 (./tutti --version prints the location).
 */

import org.tutti.mpi.*;

void main() {
    IO.println("starting 3 ranks");
    Tutti.spawn(3, arguments -> work(arguments), "100");
    IO.println("all have ended");
}

static void work(String[] arguments) {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int rank = world.rank(), size = world.size(), last = Integer.parseInt(arguments[0]);
        int from = last * rank / size + 1, to = last * (rank + 1) / size;
        IO.println("rank " + rank + " of " + size + " adds up " + from + " to " + to);
        long sum = 0;
        for (int i = from; i <= to; i++) sum += i;
        sum = world.allreduce(sum, Op.SUM);
        if (rank == 0) IO.println("the sum is " + sum);
    }
}
