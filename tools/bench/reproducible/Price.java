// The cost of reproducible reductions compared with plain reductions: nanoseconds for each number added, and
// microseconds for each allreduce, the minimum of several rounds.
//
//     ./tutti run -n 2 tools/bench/reproducible/Price.java

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

static final int NUMBERS = 1_000_000, ROUNDS = 20;

static double least(Runnable call, int calls) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) call.run();
        least = Math.min(least, (System.nanoTime() - start) / (double) calls);
    }
    return least;
}

static double sum;

void main(String[] args) {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        boolean first = world.rank() == 0;
        double[] numbers = new java.util.SplittableRandom(1).doubles(NUMBERS).toArray();
        ExactSum exact = new ExactSum();
        double plainAdd = least(() -> { double s = 0; for (double x : numbers) s += x; sum = s; }, 1) / NUMBERS;
        double exactAdd = least(() -> { exact.clear().add(numbers); }, 1) / NUMBERS;
        if (first) IO.println("one number: " + plainAdd + " ns added plainly, " + exactAdd + " ns exactly");
        Op inOrder = Op.SUM.inRankOrder();
        for (int count : new int[] {1, 1000, 100_000}) {
            int calls = Math.max(5, 20_000 / count);
            double[] x = new double[count];
            double plain = least(() -> world.allreduce(buf(x), Op.SUM), calls) / 1000;
            double ordered = least(() -> world.allreduce(buf(x), inOrder), calls) / 1000;
            if (first) IO.println("allreduce of " + count + ": " + plain + " µs, " + ordered + " µs in rank order");
        }
        for (int count : new int[] {1, 1000}) {
            ExactSum[] sums = new ExactSum[count];
            for (int i = 0; i < count; i++) sums[i] = new ExactSum();
            double micros = least(() -> world.allreduce(sums), Math.max(5, 2000 / count)) / 1000;
            if (first) IO.println("allreduce of " + count + " exact sums: " + micros + " µs");
        }
    }
}
