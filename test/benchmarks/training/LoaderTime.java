// Measures the time that a BatchLoader saves: batches with 5 ms of loading and 5 ms of computing are processed
// with a BatchLoader and sequentially. Loading waits (like a disk) or works (like decoding); computing works.
// Work is a fixed number of additions that takes this time on an idle machine, so that a shared core is visible
// in the result.
//
//     ./tutti run -n 1 test/benchmarks/training/LoaderTime.java --batches 200
//
// Prints the medians of 5 alternating rounds: milliseconds for each batch, and the ratio. The last line is the
// maximum gain if loading works: the ratio between the time of one thread with all work and the time of two
// threads that share the work.

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import org.tutti.train.Batch;
import org.tutti.train.BatchLoader;
import org.tutti.train.DistributedSampler;

static final int SAMPLES = 8, ROUNDS = 5;
static final long LOAD_NANOS = 5_000_000, COMPUTE_NANOS = 5_000_000;

static volatile long kept;

void main(String[] args) {
    int batches = Integer.parseInt(option(args, "--batches", "200"));
    for (int i = 0; i < 50; i++) work(1_000_000); // until the code is compiled
    long[] took = LongStream.range(0, 50).map(i -> time(() -> work(1_000_000))).sorted().toArray();
    double perNano = 1_000_000.0 / took[took.length / 2];

    for (boolean isWaiting : new boolean[] {true, false}) {
        double[] serial = new double[ROUNDS], loaded = new double[ROUNDS], ratio = new double[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            serial[r] = time(() -> serial(batches, isWaiting, perNano)) / 1e6 / batches;
            loaded[r] = time(() -> loaded(batches, isWaiting, perNano)) / 1e6 / batches;
            ratio[r] = serial[r] / loaded[r];
        }
        IO.println(String.format(
                Locale.ROOT,
                "loading %s: one after the other %.2f ms, BatchLoader %.2f ms, ratio %.2f (%.2f to %.2f)",
                isWaiting ? "waits" : "works",
                median(serial),
                median(loaded),
                median(ratio), // sorts the array
                ratio[0],
                ratio[ROUNDS - 1]));
    }
    double[] gained = new double[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        long half = (long) (batches * COMPUTE_NANOS * perNano);
        double single = time(() -> work(2 * half));
        gained[r] = single / time(() -> {
            Thread other = Thread.ofPlatform().start(() -> work(half));
            work(half);
            while (other.isAlive()) LockSupport.parkNanos(100_000);
        });
    }
    IO.println(String.format(Locale.ROOT, "two threads that work: ratio %.2f", median(gained)));
}

static void serial(int batches, boolean isWaiting, double perNano) {
    for (Batch batch : batches(batches)) {
        for (int sample : batch.samples()) read(sample, isWaiting, perNano);
        work((long) (COMPUTE_NANOS * perNano));
    }
}

static void loaded(int batches, boolean isWaiting, double perNano) {
    try (BatchLoader<List<Integer>> loader =
            BatchLoader.of(batches(batches), sample -> read(sample, isWaiting, perNano), list -> list)) {
        for (BatchLoader.LoadedBatch<List<Integer>> batch : loader) work((long) (COMPUTE_NANOS * perNano));
    }
}

static Iterable<Batch> batches(int count) {
    return DistributedSampler.of(count * SAMPLES, 0, 1).withEpoch(0).batches(SAMPLES);
}

static int read(int sample, boolean isWaiting, double perNano) {
    if (!isWaiting) work((long) (LOAD_NANOS / SAMPLES * perNano));
    else for (long end = System.nanoTime() + LOAD_NANOS / SAMPLES, left; (left = end - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(left);
    }
    return sample;
}

static void work(long additions) {
    long sum = kept;
    for (long i = 0; i < additions; i++) sum += sum ^ i;
    kept = sum;
}

static long time(Runnable task) {
    long start = System.nanoTime();
    task.run();
    return System.nanoTime() - start;
}

static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
}

String option(String[] args, String name, String otherwise) {
    int at = Arrays.asList(args).indexOf(name);
    return at < 0 || at + 1 == args.length ? otherwise : args[at + 1];
}
