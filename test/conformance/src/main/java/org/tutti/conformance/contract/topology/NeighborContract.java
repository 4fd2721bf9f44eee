package org.tutti.conformance.contract.topology;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Direction;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Topology;

/// Neighborhood collectives on every kind of topology: grids with and without edges, periodic dimensions of one
/// and two ranks, graphs with duplicate edges and edges to the same rank, ranks without neighbors. MPI 4.1,
/// sections 8.6 to 8.8.
public final class NeighborContract {
    private NeighborContract() {}

    /// Returns element `i` of block `block` of rank `rank`.
    private static int value(int rank, int block, int i) {
        return 1_000_000 * (rank + 1) + 10_000 * block + i;
    }

    /// A topology, and the origin of each block that this rank receives.
    private static final class Around {
        final Topology comm;
        final int[] sources;
        final int[] destinations;

        /// For each source, the index of the received block in the source's send buffer.
        final int[] theirBlock;

        Around(Topology comm) {
            this.comm = comm;
            sources = comm.sources();
            destinations = comm.destinations();
            theirBlock = new int[sources.length];
            List<List<Integer>> all =
                    comm.allgatherObject(Arrays.stream(destinations).boxed().toList());
            for (int j = 0; j < sources.length; j++) {
                if (sources[j] == Comm.PROC_NULL) continue;
                if (comm instanceof Cartesian) {
                    theirBlock[j] = j ^ 1; // the block sent in the opposite direction
                    Check.that(all.get(sources[j]).get(j ^ 1) == comm.rank(), "the way back");
                } else {
                    theirBlock[j] = same(all.get(sources[j]), j);
                }
            }
        }

        /// If two ranks have several edges, the k-th in the sender's destinations is the k-th in the receiver's
        /// sources.
        private int same(List<Integer> theirs, int j) {
            int before = (int)
                    IntStream.range(0, j).filter(i -> sources[i] == sources[j]).count();
            int[] places = IntStream.range(0, theirs.size())
                    .filter(i -> theirs.get(i) == comm.rank())
                    .toArray();
            return places[before];
        }
    }

    private static void onAll(Trial t, Consumer<Around> body) {
        Comm w = t.world();
        int n = t.size();
        int me = t.rank();
        List<Topology> all = new ArrayList<>();
        all.add(w.cartesian(new int[] {n}, new boolean[] {true}));
        all.add(w.cartesian(Cartesian.balancedDims(n, 0, 0), new boolean[2]));
        all.add(w.cartesian(Cartesian.balancedDims(n, 0, 1, 0), new boolean[] {true, true, false}));
        int[][] ring = new int[n][];
        for (int r = 0; r < n; r++) ring[r] = new int[] {(r + 1) % n, (r + n - 1) % n, r};
        all.add(w.graph(ring));
        int[][] clique = new int[Math.max(1, n - 1)][];
        for (int r = 0; r < clique.length; r++) {
            int self = r;
            clique[r] = IntStream.range(0, clique.length).filter(i -> i != self).toArray();
        }
        all.add(w.graph(clique));
        int[] twice = {t.left(), me, t.left()};
        all.add(w.distGraphAdjacent(twice, new int[] {t.right(), t.right(), me}));
        boolean isolated = me == n - 1;
        int[] none = {};
        // only rank 0 receives, from all ranks except the last
        int[] senders = IntStream.range(0, n - 1).toArray();
        all.add(w.distGraphAdjacent(me == 0 ? senders : none, isolated ? none : new int[] {0}));
        // each rank passes the right neighbor's edges
        all.add(w.distGraph(new int[] {t.right(), me}, new int[] {2, 1}, new int[] {me, t.left(), me}));
        try {
            for (Topology comm : all) if (comm.size() > 0) body.accept(new Around(comm));
        } finally {
            all.forEach(Topology::close);
        }
    }

    private static final int GAP = -7;

    /// A buffer with blocks in reverse order, with a gap before each. `lengths` maps the index of a block to a
    /// length.
    private static final class Packed {
        final int[] data;
        final long[] counts;
        final long[] displacements;

        Packed(int blocks, IntUnaryOperator lengths) {
            counts = new long[blocks];
            displacements = new long[blocks];
            int at = 0;
            for (int i = blocks - 1; i >= 0; i--) {
                counts[i] = lengths.applyAsInt(i);
                displacements[i] = ++at;
                at += (int) counts[i];
            }
            data = new int[at];
            Arrays.fill(data, GAP);
        }

        Buf buf() {
            return Buf.buf(data).blocks(counts, displacements);
        }

        void set(int block, int i, int value) {
            data[(int) displacements[block] + i] = value;
        }
    }

    @Contract
    public static void allgatherReceivesABlockFromEachSource(Trial t) {
        onAll(t, a -> {
            for (int each : new int[] {1, 0, 1000, 9_001}) {
                Form form = Form.values()[each % 3];
                int[] mine = IntStream.range(0, each)
                        .map(i -> value(a.comm.rank(), 0, i))
                        .toArray();
                int[] got = new int[each * a.sources.length];
                Arrays.fill(got, GAP);
                form.call(
                        () -> a.comm.neighborAllgather(buf(mine), buf(got)),
                        () -> a.comm.ineighborAllgather(buf(mine), buf(got)),
                        () -> a.comm.neighborAllgatherInit(buf(mine), buf(got)));
                for (int k = 0; k < got.length; k++) {
                    int s = a.sources[k / each];
                    int expected = s == Comm.PROC_NULL ? GAP : value(s, 0, k % each);
                    if (expected == got[k]) continue;
                    Check.same(expected, got[k], a.comm + ", element " + k + " of blocks of " + each);
                }
            }
        });
    }

    @Contract
    public static void allgatherOfBlocksOfDifferentSize(Trial t) {
        onAll(t, a -> {
            for (Form form : Form.values()) {
                IntUnaryOperator length = r -> r == Comm.PROC_NULL ? 3 : (r % 3) * 111 + form.ordinal();
                int[] mine = IntStream.range(0, length.applyAsInt(a.comm.rank()))
                        .map(i -> value(a.comm.rank(), 0, i))
                        .toArray();
                Packed got = new Packed(a.sources.length, j -> length.applyAsInt(a.sources[j]));
                Packed expected = new Packed(a.sources.length, j -> length.applyAsInt(a.sources[j]));
                for (int j = 0; j < a.sources.length; j++) {
                    if (a.sources[j] == Comm.PROC_NULL) continue;
                    for (int i = 0; i < expected.counts[j]; i++) expected.set(j, i, value(a.sources[j], 0, i));
                }
                form.call(
                        () -> a.comm.neighborAllgather(buf(mine), got.buf()),
                        () -> a.comm.ineighborAllgather(buf(mine), got.buf()),
                        () -> a.comm.neighborAllgatherInit(buf(mine), got.buf()));
                Check.same(Arrays.toString(expected.data), Arrays.toString(got.data), a.comm + " " + form);
            }
        });
    }

    @Contract
    public static void alltoallReceivesTheBlockForThisRank(Trial t) {
        onAll(t, a -> {
            for (int each : new int[] {1, 0, 1000, 9_001}) {
                Form form = Form.values()[(each + 1) % 3];
                long[] mine = new long[each * a.destinations.length];
                for (int k = 0; k < mine.length; k++) mine[k] = value(a.comm.rank(), k / each, k % each);
                long[] got = new long[each * a.sources.length];
                Arrays.fill(got, GAP);
                form.call(
                        () -> a.comm.neighborAlltoall(buf(mine), buf(got)),
                        () -> a.comm.ineighborAlltoall(buf(mine), buf(got)),
                        () -> a.comm.neighborAlltoallInit(buf(mine), buf(got)));
                for (int k = 0; k < got.length; k++) {
                    int j = k / each;
                    int s = a.sources[j];
                    int expected = s == Comm.PROC_NULL ? GAP : value(s, a.theirBlock[j], k % each);
                    if (expected == got[k]) continue;
                    Check.same(expected, got[k], a.comm + ", element " + k + " of blocks of " + each);
                }
            }
        });
    }

    private static int length(int rank, int block, Form form) {
        return (rank + 2 * block) % 4 * (1 + 99 * form.ordinal());
    }

    @Contract(slow = true)
    public static void alltoallOfBlocksOfDifferentSize(Trial t) {
        onAll(t, a -> {
            for (Form form : Form.values()) {
                int me = a.comm.rank();
                Packed mine = new Packed(a.destinations.length, i -> length(me, i, form));
                for (int b = 0; b < a.destinations.length; b++) {
                    for (int i = 0; i < mine.counts[b]; i++) mine.set(b, i, value(me, b, i));
                }
                Packed got = received(a, form);
                Packed expected = received(a, form);
                for (int j = 0; j < a.sources.length; j++) {
                    if (a.sources[j] == Comm.PROC_NULL) continue;
                    for (int i = 0; i < expected.counts[j]; i++) {
                        expected.set(j, i, value(a.sources[j], a.theirBlock[j], i));
                    }
                }
                form.call(
                        () -> a.comm.neighborAlltoall(mine.buf(), got.buf()),
                        () -> a.comm.ineighborAlltoall(mine.buf(), got.buf()),
                        () -> a.comm.neighborAlltoallInit(mine.buf(), got.buf()));
                Check.same(Arrays.toString(expected.data), Arrays.toString(got.data), a.comm + " " + form);
            }
        });
    }

    private static Packed received(Around a, Form form) {
        return new Packed(
                a.sources.length,
                j -> a.sources[j] == Comm.PROC_NULL ? 2 : length(a.sources[j], a.theirBlock[j], form));
    }

    /// Returns block `block` of rank `rank`: ints, doubles, booleans or no data.
    private static Object part(int rank, int block, int scale, boolean filled) {
        int count = scale * (1 + block % 3);
        int kind = (rank + block) % 4;
        IntUnaryOperator v = i -> filled ? value(rank, block, i) : GAP;
        return switch (kind) {
            case 0 -> IntStream.range(0, count).map(v).toArray();
            case 1 -> IntStream.range(0, count).mapToDouble(v::applyAsInt).toArray();
            case 2 -> {
                boolean[] b = new boolean[count];
                for (int i = 0; i < count; i++) b[i] = filled && value(rank, block, i) % 3 == 0;
                yield b;
            }
            default -> Buf.NONE;
        };
    }

    private static Buf bufOf(Object data) {
        return switch (data) {
            case int[] x -> buf(x);
            case double[] x -> buf(x);
            case boolean[] x -> buf(x);
            default -> Buf.NONE;
        };
    }

    private static String text(Object data) {
        return switch (data) {
            case int[] x -> Arrays.toString(x);
            case double[] x -> Arrays.toString(x);
            case boolean[] x -> Arrays.toString(x);
            default -> "no array";
        };
    }

    private static Object[] incoming(Around a, int scale, boolean filled) {
        Object[] parts = new Object[a.sources.length];
        for (int j = 0; j < parts.length; j++) {
            boolean isProcNull = a.sources[j] == Comm.PROC_NULL;
            parts[j] = isProcNull ? new int[] {GAP} : part(a.sources[j], a.theirBlock[j], scale, filled);
        }
        return parts;
    }

    private static Buf[] bufs(Object[] parts) {
        return Arrays.stream(parts).map(NeighborContract::bufOf).toArray(Buf[]::new);
    }

    @Contract(slow = true)
    public static void alltoallwHasATypeForEachNeighbor(Trial t) {
        onAll(t, a -> {
            for (Form form : Form.values()) {
                int scale = form.ordinal() * 3_000 + 1;
                Buf[] send = bufs(IntStream.range(0, a.destinations.length)
                        .mapToObj(b -> part(a.comm.rank(), b, scale, true))
                        .toArray());
                Object[] got = incoming(a, scale, false);
                Buf[] recv = bufs(got);
                form.call(
                        () -> a.comm.neighborAlltoallw(send, recv),
                        () -> a.comm.ineighborAlltoallw(send, recv),
                        () -> a.comm.neighborAlltoallwInit(send, recv));
                Object[] expected = incoming(a, scale, true);
                for (int j = 0; j < got.length; j++) {
                    Check.same(text(expected[j]), text(got[j]), a.comm + " " + form + ", part " + j);
                }
            }
        });
    }

    /// Faces of a grid are sent directly into the borders of the neighbors, as in a stencil program.
    @Contract
    public static void facesOfAGridGoToTheBorders(Trial t) {
        int[] dims = Cartesian.balancedDims(t.size(), 0, 0);
        int rows = 5, columns = 4, width = columns + 2;
        Datatype row = Datatype.DOUBLE.contiguous(columns), column = Datatype.DOUBLE.vector(rows, 1, width);
        try (Cartesian grid = t.world().cartesian(dims, new boolean[] {false, true})) {
            double[] x = new double[(rows + 2) * width];
            Arrays.fill(x, GAP);
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < columns; j++) x[(i + 1) * width + j + 1] = value(grid.rank(), i, j);
            }
            double[] expected = x.clone();
            int up = grid.neighbor(Direction.UP), down = grid.neighbor(Direction.DOWN);
            int left = grid.neighbor(Direction.LEFT), right = grid.neighbor(Direction.RIGHT);
            for (int j = 0; j < columns; j++) {
                if (up != Comm.PROC_NULL) expected[j + 1] = value(up, rows - 1, j);
                if (down != Comm.PROC_NULL) expected[(rows + 1) * width + j + 1] = value(down, 0, j);
            }
            for (int i = 0; i < rows; i++) {
                expected[(i + 1) * width] = value(left, i, columns - 1);
                expected[(i + 1) * width + columns + 1] = value(right, i, 0);
            }
            Buf[] faces = {
                buf(x, width + 1, 1, row),
                buf(x, rows * width + 1, 1, row),
                buf(x, width + 1, 1, column),
                buf(x, width + columns, 1, column)
            };
            Buf[] borders = {
                buf(x, 1, 1, row),
                buf(x, (rows + 1) * width + 1, 1, row),
                buf(x, width, 1, column),
                buf(x, width + columns + 1, 1, column)
            };
            for (Form form : Form.values()) {
                form.call(
                        () -> grid.neighborAlltoallw(faces, borders),
                        () -> grid.ineighborAlltoallw(faces, borders),
                        () -> grid.neighborAlltoallwInit(faces, borders));
                Check.same(Arrays.toString(expected), Arrays.toString(x), "grid with borders, " + form);
                // clear the borders, which the next form must receive again
                for (int i = 0; i < x.length; i++) if (i < width || i % width == 0) x[i] = GAP;
            }
            // blocks of a derived type: columns are received as rows
            double[] packed = new double[rows * 2 * 4];
            Buf send =
                    buf(x, width + 1, 2, Datatype.DOUBLE.vector(rows, 1, width).resized(0, 8));
            Buf four = buf(packed, 0, 4, Datatype.DOUBLE.contiguous(2L * rows));
            grid.neighborAllgather(send, four);
            int[] sources = grid.sources();
            for (int k = 0; k < packed.length; k++) {
                int s = sources[k / (2 * rows)], place = k % (2 * rows);
                double is = s == Comm.PROC_NULL ? 0 : value(s, place % rows, place / rows);
                Check.that(is == packed[k], "element " + k + " of the received columns");
            }
        }
    }

    @Contract
    public static void objectsOfNeighbors(Trial t) {
        onAll(t, a -> {
            String long1 = "x".repeat(70_000);
            List<String> all = a.comm.neighborAllgatherObject(a.comm.rank() % 2 == 0 ? "even " + a.comm.rank() : long1);
            List<String> values = IntStream.range(0, a.destinations.length)
                    .mapToObj(b -> b % 3 == 2 ? null : a.comm.rank() + " " + b)
                    .collect(ArrayList::new, List::add, List::addAll);
            List<String> each = a.comm.<String>neighborAlltoallObject(values);
            Check.same(a.sources.length, all.size(), "values");
            for (int j = 0; j < a.sources.length; j++) {
                int s = a.sources[j];
                boolean isProcNull = s == Comm.PROC_NULL;
                String label = a.comm + ", source " + j;
                Check.same(isProcNull ? null : s % 2 == 0 ? "even " + s : long1, all.get(j), label);
                Check.same(
                        isProcNull || a.theirBlock[j] % 3 == 2 ? null : s + " " + a.theirBlock[j], each.get(j), label);
            }
        });
    }

    /// Twenty nonblocking calls are active during barriers and blocking neighborhood calls, and are awaited in
    /// a different order.
    @Contract
    public static void concurrentCallsDoNotMix(Trial t) {
        onAll(t, a -> {
            int in = a.sources.length, out = a.destinations.length;
            List<int[]> results = new ArrayList<>();
            List<Request> requests = new ArrayList<>();
            for (int k = 0; k < 20; k++) {
                int[] mine = new int[2 * out];
                for (int i = 0; i < mine.length; i++) mine[i] = value(a.comm.rank(), i / 2, 100 * k + i % 2);
                int[] got = new int[2 * in];
                results.add(got);
                requests.add(a.comm.ineighborAlltoall(buf(mine), buf(got)));
                if (k % 7 == 3) a.comm.barrier();
                if (k % 7 == 5) a.comm.neighborAllgather(buf(new int[1]), in == 0 ? Buf.NONE : buf(new int[in]));
            }
            for (int k = 19; k >= 0; k--) requests.get(k * 7 % 20).await();
            for (int k = 0; k < 20; k++) {
                for (int i = 0; i < 2 * in; i++) {
                    int s = a.sources[i / 2];
                    int expected = s == Comm.PROC_NULL ? 0 : value(s, a.theirBlock[i / 2], 100 * k + i % 2);
                    Check.same(expected, results.get(k)[i], "call " + k + " of " + a.comm);
                }
            }
        });
    }

    @Contract
    public static void persistentCallSendsCurrentData(Trial t) {
        int n = t.size();
        try (Cartesian line = t.world().cartesian(new int[] {n}, new boolean[1])) {
            boolean[] mine = new boolean[2], got = new boolean[2];
            int[] face = new int[1], border = {GAP};
            Buf[] send = {buf(face), Buf.NONE}, recv = {Buf.NONE, buf(border)};
            try (PersistentRequest all = line.neighborAlltoallInit(buf(mine), buf(got));
                    PersistentRequest left = line.neighborAlltoallwInit(send, recv)) {
                for (int k = 0; k < 6; k++) {
                    mine[0] = (t.rank() + k) % 2 == 0;
                    mine[1] = (t.rank() + k) % 3 == 0;
                    face[0] = 10 * t.rank() + k;
                    all.start();
                    left.start();
                    left.await();
                    all.await();
                    boolean hasRight = t.rank() < n - 1, hasLeft = t.rank() > 0;
                    if (hasRight) Check.same((t.rank() + 1 + k) % 2 == 0, got[1], "from the right, start " + k);
                    if (hasLeft) Check.same((t.rank() - 1 + k) % 3 == 0, got[0], "from the left, start " + k);
                    Check.same(hasRight ? 10 * (t.rank() + 1) + k : GAP, border[0], "the border, start " + k);
                }
            }
        }
    }

    /// The calls of virtual threads complete while the main thread waits in a call that may block.
    @Contract
    public static void fromVirtualThreads(Trial t) throws InterruptedException {
        int n = t.size();
        try (Cartesian ring = t.world().cartesian(new int[] {n}, new boolean[] {true});
                Cartesian other = ring.dup()) {
            List<Thread> threads = new ArrayList<>();
            List<int[]> all = new ArrayList<>();
            for (Cartesian comm : List.of(ring, other)) {
                int[] got = new int[2];
                all.add(got);
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int k = 0; k < 20; k++) comm.neighborAllgather(buf(new int[] {t.rank() + k}), buf(got));
                }));
            }
            t.world().barrier();
            for (Thread thread : threads) thread.join();
            for (int[] got : all) {
                Check.same(t.left() + 19, got[0], "from the left");
                Check.same(t.right() + 19, got[1], "from the right");
            }
        }
    }

    /// Rank 0 waits for a message that rank 1 sends only after completing the neighborhood call.
    @Contract(minRanks = 2)
    public static void progressesDuringAnotherWait(Trial t) {
        int each = 100_000;
        try (DistGraph ring = t.world().distGraphAdjacent(new int[] {t.left()}, new int[] {t.right()})) {
            double[] mine = new double[each], got = new double[each];
            Arrays.fill(mine, t.rank());
            Request call = ring.ineighborAllgather(buf(mine), buf(got));
            int[] word = {0};
            if (t.rank() == 0) {
                t.world().recv(buf(word), 1, 9);
                call.await();
            } else {
                call.await();
                if (t.rank() == 1) t.world().send(buf(word), 0, 9);
            }
            for (double d : got) Check.that(d == t.left(), "from the left");
        }
    }

    @Contract
    public static void wrongArguments(Trial t) {
        int n = t.size();
        Buf x = buf(new int[4]), odd = buf(new int[3]);
        try (Cartesian g = t.world().cartesian(new int[] {n, 1}, new boolean[2])) {
            String where = " (rank " + t.rank() + " of " + n + ", " + g.name() + ")";
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "neighborAllgather: recv holds 3 elements, not a multiple of the 4 sources; use blocks(…) for"
                            + " blocks of different size" + where,
                    () -> g.neighborAllgather(x, odd));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "ineighborAllgather: recv has 3 blocks for 4 sources" + where,
                    () -> g.ineighborAllgather(x, odd.blocks(1, 1, 1)));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "neighborAlltoallInit: send has 3 blocks for 4 destinations" + where,
                    () -> g.neighborAlltoallInit(odd.blocks(1, 1, 1), x));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "neighborAlltoall: send is IN_PLACE, which neighborhood collectives do not support; pass a buffer"
                            + where,
                    () -> g.neighborAlltoall(Buf.IN_PLACE, x));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "neighborAllgather: recv is NONE on a rank that must pass a buffer" + where,
                    () -> g.neighborAllgather(x, Buf.NONE));
            Buf[] four = {x, x, x, x};
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "neighborAlltoallw: recv has 1 buffers for 4 sources" + where,
                    () -> g.neighborAlltoallw(four, new Buf[] {x}));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "ineighborAlltoallw: send has 0 buffers for 4 destinations" + where,
                    () -> g.ineighborAlltoallw(new Buf[0], four));
            Check.rejects(
                    ErrorClass.ERR_BUFFER,
                    "neighborAlltoallwInit: recv[1] is null; pass Buf.NONE for no data" + where,
                    () -> g.neighborAlltoallwInit(four, new Buf[] {x, null, x, x}));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "neighborAlltoallObject: values holds 1 objects for 4 destinations" + where,
                    () -> g.neighborAlltoallObject(List.of("one")));
        }
    }
}
