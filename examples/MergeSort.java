/*
 * Merge sort on a tree of ranks, with a table and a plot of the speed-up by number of ranks.
 *
 * A rank that sorts with several ranks sends half of the numbers to the first rank of the second half, sorts the
 * rest with the first half of the ranks, and merges the two results. A single rank sorts locally:
 *
 *     rank 0   0 1 2 3 4 5 6 7 ──▶ 0 1 2 3 ──▶ 0 1 ─ sort ─▶ 0 1 2 3 ──▶ 0 1 2 3 4 5 6 7
 *     rank 1                   │           └─▶ 2 3 ─ sort ─┘         │
 *     rank 2                   └─▶ 4 5 6 7 ──▶ 4 5 ─ sort ─▶ 4 5 6 7 ┘
 *     rank 3                               └─▶ 6 7 ─ sort ─┘
 *
 * All numbers pass through rank 0, which merges the last two halves without help: this limits the speed-up.
 *
 *     ./tutti run -n 4 examples/MergeSort.java largest=1000000 plot=speedup.svg
 *
 *      numbers   ranks   seconds   speed-up
 *        10000       1     …
 *        10000       2     …
 *        10000       3     …
 *        10000       4     …
 *       100000       1     …
 *       100000       2     …
 *       100000       3     …
 *       100000       4     …
 *      1000000       1     …
 *      1000000       2     …
 *      1000000       3     …
 *      1000000       4     …
 *     every result was in order
 *     the plot is in speedup.svg
 *
 * Without "plot=" no plot is drawn.
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main(String[] args) throws IOException {
    int largest = Integer.parseInt(argument("largest", "4000000", args));
    String plot = argument("plot", "", args);
    int[] sizes = {largest / 100, largest / 10, largest};

    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size();

        if (me == 0) IO.println(" numbers   ranks   seconds   speed-up");
        double[][] speedUp = new double[sizes.length][n];
        for (int s = 0; s < sizes.length; s++) {
            double alone = 0;
            for (int ranks = 1; ranks <= n; ranks++) {
                double seconds = seconds(world, ranks, sizes[s]);
                if (ranks == 1) alone = seconds;
                speedUp[s][ranks - 1] = alone / seconds;
                if (me == 0) IO.println("%8d %7d %9.4f %10.2f".formatted(sizes[s], ranks, seconds, alone / seconds));
            }
        }
        if (me == 0) IO.println("every result was in order");
        if (me == 0 && !plot.isEmpty()) {
            Files.writeString(Path.of(plot), svg(sizes, speedUp));
            IO.println("the plot is in " + plot);
        }
    }
}

/// Sorts `count` numbers five times with the first `ranks` ranks, and returns the shortest time. The result is
/// valid on rank 0, which has the numbers.
static double seconds(Comm world, int ranks, int count) {
    int me = world.rank();
    int[] unsorted = new SplittableRandom(count).ints(me == 0 ? count : 0).toArray();
    double best = Double.POSITIVE_INFINITY;
    for (int round = 0; round < 5; round++) { // warm-up of the JVM, and other programs
        int[] numbers = unsorted.clone();
        world.barrier();
        double start = Mpi.wtime();
        if (me == 0) sort(world, ranks, numbers, 0, count, new int[count]);
        else if (me < ranks) help(world, 0, ranks);
        best = Math.min(best, Mpi.wtime() - start);
        for (int i = 1; i < numbers.length; i++) {
            if (numbers[i - 1] > numbers[i]) throw new AssertionError("not in order at " + i);
        }
    }
    return best;
}

/// Sorts this rank's `a[from … to)` with the ranks after it, `ranks` in total.
static void sort(Comm world, int ranks, int[] a, int from, int to, int[] spare) {
    if (ranks == 1) {
        sort(a, from, to, spare);
        return;
    }
    int helpers = ranks / 2, helper = world.rank() + ranks - helpers;
    int middle = to - (int) ((long) (to - from) * helpers / ranks);
    Buf rest = buf(a, middle, to - middle);
    world.send(rest, helper);
    sort(world, ranks - helpers, a, from, middle, spare);
    world.recv(rest, helper);
    merge(a, from, middle, to, spare);
}

/// The counterpart of `sort` on the other ranks: rank `first` sorts with `ranks` ranks, including this one.
static void help(Comm world, int first, int ranks) {
    int helpers = ranks / 2, helper = first + ranks - helpers, me = world.rank();
    if (me < helper) help(world, first, ranks - helpers);
    else if (me > helper) help(world, helper, helpers);
    else {
        int count = (int) world.probe(first, 0).count(Datatype.INT);
        int[] part = new int[count];
        world.recv(buf(part), first);
        sort(world, helpers, part, 0, count, new int[count]);
        world.send(buf(part), first);
    }
}

static void sort(int[] a, int from, int to, int[] spare) {
    if (to - from < 2) return;
    int middle = (from + to) / 2;
    sort(a, from, middle, spare);
    sort(a, middle, to, spare);
    merge(a, from, middle, to, spare);
}

/// Merges two adjacent sorted parts.
static void merge(int[] a, int from, int middle, int to, int[] spare) {
    System.arraycopy(a, from, spare, from, middle - from);
    for (int out = from, left = from, right = middle; left < middle; out++) {
        a[out] = right < to && a[right] < spare[left] ? a[right++] : spare[left++];
    }
}

/// Draws speed-up over ranks: a line for each size, and a dashed line for the ideal.
static String svg(int[] sizes, double[][] speedUp) {
    String[] colors = {"#5b8ff9", "#f6903d", "#61a146"};
    int n = speedUp[0].length, unit = 360 / n, top = 40, left = 50, bottom = top + 360;
    StringBuilder s = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' width='460' height='450'"
            + " font-family='sans-serif' font-size='12'><rect width='100%' height='100%' fill='white'/>\n");
    for (int r = 1; r <= n; r++) {
        int x = left + r * unit, y = bottom - r * unit;
        s.append("<path d='M%d %dV%dM%d %dH%d' stroke='#ddd'/>".formatted(x, bottom, top, left, y, left + 360));
        s.append("<text x='%d' y='%d'>%d</text><text x='%d' y='%d'>%d</text>\n"
                .formatted(x - 4, bottom + 16, r, left - 18, y + 4, r));
    }
    s.append("<text x='200' y='440'>ranks</text><text x='10' y='24'>speed-up</text>\n");
    s.append("<path d='M%d %dL%d %d' stroke='#999' stroke-dasharray='4'/>\n"
            .formatted(left + unit, bottom - unit, left + n * unit, bottom - n * unit));
    for (int i = 0; i < sizes.length; i++) {
        s.append("<polyline fill='none' stroke-width='2' stroke='%s' points='".formatted(colors[i]));
        for (int r = 1; r <= n; r++) {
            s.append("%d,%d ".formatted(left + r * unit, bottom - Math.round(unit * speedUp[i][r - 1])));
        }
        s.append("'/><text x='%d' y='%d' fill='%s'>%d numbers</text>\n"
                .formatted(left + 10, top + 20 + 16 * i, colors[i], sizes[i]));
    }
    return s.append("</svg>\n").toString();
}

static String argument(String name, String otherwise, String[] args) {
    for (String arg : args) if (arg.startsWith(name + "=")) return arg.substring(name.length() + 1);
    return otherwise;
}
