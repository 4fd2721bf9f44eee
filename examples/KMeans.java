/*
 * Groups similar handwritten digits without labels: k-means, in parallel.
 *
 * Each rank has a part of the digits. In every round a rank sums the digits nearest to each centre, one allreduce
 * adds these sums over the ranks, and the centres move to the means. The groups are therefore the same on any
 * number of ranks.
 *
 * The k-means that is an exercise in "Towards Python MPI for Artificial Intelligence and Deep Learning Research".
 *
 *     ./tutti run -n 4 examples/KMeans.java
 *
 *     19 rounds for 1797 digits in 10 groups, inertia 1165185.2
 *     group 0 has 182 digits, 97 % of them are 6
 *     group 1 has 204 digits, 85 % of them are 7
 *     group 2 has 179 digits, 99 % of them are 0
 *     group 3 has 167 digits, 98 % of them are 4
 *     group 4 has 91 digits, 60 % of them are 1
 *     group 5 has 227 digits, 45 % of them are 8
 *     group 6 has 150 digits, 91 % of them are 5
 *     group 7 has 178 digits, 87 % of them are 3
 *     group 8 has 174 digits, 84 % of them are 2
 *     group 9 has 245 digits, 57 % of them are 9
 *     purity: 0.7941
 *
 * Options: groups=N seed=N data=FILE
 */

import static org.tutti.mpi.Buf.buf;

import java.util.zip.GZIPInputStream;
import org.tutti.mpi.*;

static final int PIXELS = 64, DIGITS = 10;

void main(String[] args) throws IOException {
    int groups = Integer.parseInt(argument("groups", "10", args));
    long seed = Long.parseLong(argument("seed", "1", args));

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        double[][] all = me == 0 ? readDigits(argument("data", "", args)) : null; // 64 pixels and the digit
        double[][] digits = deal(world, all);
        double[][] centres = me == 0 ? farApart(all, groups, seed) : new double[groups][PIXELS];
        world.bcast(buf(centres), 0);

        // The sums of a round, in one array: for each group, the pixels and the number of digits; at the end,
        // the number of digits that have moved to a different group, and the sum of the squared distances from
        // the centres.
        double[] sums = new double[groups * (PIXELS + 1) + 2];
        int changed = sums.length - 2, inertia = sums.length - 1;
        Buf everything = buf(sums);
        int[] group = new int[digits.length];
        Arrays.fill(group, -1);
        int rounds = 0;
        do {
            Arrays.fill(sums, 0);
            for (int i = 0; i < digits.length; i++) {
                int g = nearest(digits[i], centres);
                for (int p = 0; p < PIXELS; p++) sums[g * (PIXELS + 1) + p] += digits[i][p];
                sums[g * (PIXELS + 1) + PIXELS]++;
                if (g != group[i]) sums[changed]++;
                sums[inertia] += distance(digits[i], centres[g]);
                group[i] = g;
            }
            world.allreduce(everything, Op.SUM);
            for (int g = 0; g < groups; g++) {
                double count = sums[g * (PIXELS + 1) + PIXELS];
                if (count == 0) continue; // the centre of an empty group does not move
                for (int p = 0; p < PIXELS; p++) centres[g][p] = sums[g * (PIXELS + 1) + p] / count;
            }
            rounds++;
        } while (sums[changed] > 0);

        // Labels are used only here: they show how often each digit occurs in each group.
        int[][] counts = new int[groups][DIGITS];
        for (int i = 0; i < digits.length; i++) counts[group[i]][(int) digits[i][PIXELS]]++;
        world.reduce(buf(counts), Op.SUM, 0); // in place: rank 0's array gets the sums
        if (me == 0) report(counts, rounds, sums[inertia]);
    }
}

static int nearest(double[] digit, double[][] centres) {
    int best = 0;
    for (int g = 1; g < centres.length; g++) if (distance(digit, centres[g]) < distance(digit, centres[best])) best = g;
    return best;
}

/// Returns the squared distance.
static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int p = 0; p < PIXELS; p++) sum += (a[p] - b[p]) * (a[p] - b[p]);
    return sum;
}

/// Distributes rank 0's digits; the first ranks get an additional digit if the number is not divisible.
static double[][] deal(Comm world, double[][] all) {
    int n = world.size(), count = world.bcast(all == null ? 0 : all.length, 0);
    int[] digits = new int[n], elements = new int[n]; // of each rank
    for (int r = 0; r < n; r++) {
        digits[r] = count / n + (r < count % n ? 1 : 0);
        elements[r] = digits[r] * (PIXELS + 1);
    }
    double[][] mine = new double[digits[world.rank()]][PIXELS + 1];
    world.scatter(all == null ? Buf.NONE : buf(all).blocks(elements), buf(mine), 0);
    return mine;
}

/// Returns initial centres: digits drawn with a probability that grows with the squared distance from the
/// nearest previous centre ("k-means++"), so that the centres differ.
static double[][] farApart(double[][] all, int groups, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] centres = new double[groups][];
    centres[0] = Arrays.copyOf(all[random.nextInt(all.length)], PIXELS);
    double[] nearest = new double[all.length];
    Arrays.fill(nearest, Double.POSITIVE_INFINITY);
    for (int g = 1; g < groups; g++) {
        double total = 0;
        for (int i = 0; i < all.length; i++) {
            nearest[i] = Math.min(nearest[i], distance(all[i], centres[g - 1]));
            total += nearest[i];
        }
        double at = random.nextDouble() * total;
        int drawn = 0;
        while ((at -= nearest[drawn]) > 0) drawn++;
        centres[g] = Arrays.copyOf(all[drawn], PIXELS);
    }
    return centres;
}

/// Prints how the digits are distributed over the groups. Purity: the fraction of all samples that have the
/// most common digit of their group.
static void report(int[][] counts, int rounds, double inertia) {
    int total = 0, right = 0;
    for (int[] group : counts) {
        total += Arrays.stream(group).sum();
        right += Arrays.stream(group).max().orElseThrow();
    }
    IO.println("%d rounds for %d digits in %d groups, inertia %.1f".formatted(rounds, total, counts.length, inertia));
    for (int g = 0; g < counts.length; g++) {
        int size = Arrays.stream(counts[g]).sum(), digit = 0;
        for (int d = 1; d < DIGITS; d++) if (counts[g][d] > counts[g][digit]) digit = d;
        IO.println("group %d has %d digits, %.0f %% of them are %d"
                .formatted(g, size, 100.0 * counts[g][digit] / Math.max(size, 1), digit));
    }
    IO.println("purity: %.4f".formatted((double) right / total));
}

/// Reads `file`; by default digits.csv.gz from `examples/data` or `data`, in or above the working directory.
static double[][] readDigits(String file) throws IOException {
    Path path = Path.of(file);
    if (file.isEmpty()) {
        path = findUp("examples/data/digits.csv.gz");
        if (path == null) path = findUp("data/digits.csv.gz");
        if (path == null) throw new FileNotFoundException("no examples/data/digits.csv.gz here or further up; pass data=FILE");
    }
    try (var in = new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(path))))) {
        return in.lines()
                .map(line -> Arrays.stream(line.split(",")).mapToDouble(Double::parseDouble).toArray())
                .toArray(double[][]::new);
    }
}

static Path findUp(String name) {
    Path up = Path.of("").toAbsolutePath();
    while (up != null && !Files.exists(up.resolve(name))) up = up.getParent();
    return up == null ? null : up.resolve(name);
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
