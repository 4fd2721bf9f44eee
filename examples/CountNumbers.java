/*
 * Counts a number in random data on all ranks, with parameters from the environment or the command line.
 *
 * The counterpart of count.py in "Towards Python MPI for Artificial Intelligence and Deep Learning Research": each
 * rank draws N numbers from 1 to MAX, and counts how often FIND occurs. With SEED, which count.py does not have, the
 * numbers are reproducible.
 *
 *     ./tutti run -n 3 -x N=8 -x SEED=1 examples/CountNumbers.java find=3 max=5
 *
 *     rank 0 has 1 in [1, 4, 3, 4, 5, 5, 5, 2]
 *     rank 1 has 2 in [4, 3, 1, 3, 5, 1, 2, 5]
 *     rank 2 has 1 in [5, 1, 1, 2, 4, 3, 5, 5]
 *     counts on rank 0: [1, 2, 1]
 *     Total number of 3's: 4
 *
 * "-x NAME=VALUE" sets an environment variable for all ranks, on all machines. Arguments after the program's name
 * are passed to every rank; in this program such arguments override the environment.
 */

import org.tutti.mpi.*;

void main(String[] args) {
    int length = parameter("N", 20, args), max = parameter("MAX", 10, args), find = parameter("FIND", 8, args);
    int seed = parameter("SEED", (int) System.nanoTime(), args);

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        Random random = new Random(seed + me); // different numbers on each rank
        List<Integer> data = new ArrayList<>();
        for (int i = 0; i < length; i++) data.add(random.nextInt(1, max + 1));
        int count = Collections.frequency(data, find);
        IO.println("rank " + me + " has " + count + " in " + data);

        List<Integer> counts = world.gatherObject(count, 0);
        if (me == 0) {
            IO.println("counts on rank 0: " + counts);
            int total = 0;
            for (int c : counts) total += c;
            IO.println("Total number of " + find + "'s: " + total);
        }
    }
}

/// Returns the value of the argument `name=value` or, without it, of the environment variable `name`;
/// `otherwise` if neither is set.
static int parameter(String name, int otherwise, String[] args) {
    String text = System.getenv(name);
    for (String arg : args) {
        String[] parts = arg.split("=", 2);
        if (parts.length == 2 && parts[0].equalsIgnoreCase(name)) text = parts[1];
    }
    return text == null ? otherwise : Integer.parseInt(text);
}
