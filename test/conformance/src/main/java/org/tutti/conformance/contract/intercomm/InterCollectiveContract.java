package org.tutti.conformance.contract.intercomm;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.AffineMaps;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Op;
import org.tutti.mpi.Request;

/// Collective operations between two groups. MPI 4.1, section 6.2.3 and chapter 6.
public final class InterCollectiveContract {
    /// A count above the length of a reduction's slice and above the eager limit. It is tested in only one form
    /// per job.
    private static final int LARGE = 40_003;

    private static final int[] COUNTS = {0, 1, 5, 501, LARGE};

    private InterCollectiveContract() {}

    /// The arguments of a call, equal on every rank.
    private record Case(
            TwoGroups g, Trial t, Datatype type, int count, Form form, MemoryKind kind, boolean inFirst, int root) {
        /// Returns the `root` argument that this rank passes.
        int at() {
            return g.root(inFirst, root);
        }

        boolean gives() {
            return g.low() == inFirst;
        }

        long value(int worldRank, long i) {
            return Plain.value(type, count, worldRank, (int) i);
        }

        Box send(int elements) {
            return Box.of(t, 0, kind.plus(t.rank()), type, elements).fill(i -> value(t.rank(), i));
        }

        Box recv(int elements, Box.Values expected) {
            return Box.of(t, 1, kind.plus(2 * t.rank() + 1), type, elements)
                    .fill(i -> Plain.other(type, expected.at(i)));
        }

        @Override
        public String toString() {
            return count + " " + type + ", " + form + ", root=" + at() + " in " + g.where();
        }
    }

    @FunctionalInterface
    private interface Attempt {
        void on(Case c);
    }

    /// Tries every count, and the short ones in every form. Types, memory and roots vary.
    private static void each(Trial t, Attempt attempt) throws Exception {
        TwoGroups.each(t, g -> {
            int i = 0;
            for (int count : COUNTS) {
                for (Form form : Form.values()) {
                    i++;
                    if (count == LARGE && form.ordinal() != t.size() % 3) continue;
                    boolean inFirst = i % 2 == 0;
                    int ranks = inFirst == g.low() ? g.size() : g.remoteSize();
                    Datatype type = Plain.TYPES.get(2 + i % 6);
                    MemoryKind kind = MemoryKind.values()[i % MemoryKind.values().length];
                    attempt.on(new Case(g, t, type, count, form, kind, inFirst, i / 2 % ranks));
                }
            }
        });
    }

    @Contract(minRanks = 2)
    public static void bcastReachesTheRemoteGroup(Trial t) throws Exception {
        each(t, c -> {
            int rootsRank = (c.gives() ? c.g.mine() : c.g.theirs())[c.root];
            Box.Values expected = i -> c.value(rootsRank, i);
            Box box = c.at() == Comm.ROOT ? c.send(c.count) : c.recv(c.count, expected);
            Buf buf = c.at() == Comm.PROC_NULL ? Buf.NONE : box.buf();
            Intercomm both = c.g.both();
            c.form.call(
                    () -> both.bcast(buf, c.at()), () -> both.ibcast(buf, c.at()), () -> both.bcastInit(buf, c.at()));
            if (c.at() == Comm.PROC_NULL) box.expect(i -> Plain.other(c.type, expected.at(i)), "untouched " + c);
            else box.expect(expected, "bcast of " + c);
        });
    }

    @Contract(minRanks = 2)
    public static void gatherReceivesRemoteBlocks(Trial t) throws Exception {
        each(t, c -> {
            int n = c.g.remoteSize();
            int each = c.count / 3;
            Intercomm both = c.g.both();
            boolean isRoot = c.at() == Comm.ROOT;
            int elements = isRoot ? n * each : 1;
            Box.Values expected = i -> each == 0 ? 0 : c.value(c.g.theirs()[i / each], i % each);
            Box send = c.send(each);
            Box recv = c.recv(elements, isRoot ? expected : i -> 0);
            Buf from = c.at() >= 0 ? send.buf() : Buf.NONE;
            Buf into = isRoot ? recv.buf() : Buf.NONE;
            c.form.call(
                    () -> both.gather(from, into, c.at()),
                    () -> both.igather(from, into, c.at()),
                    () -> both.gatherInit(from, into, c.at()));
            recv.expect(isRoot ? expected : i -> Plain.other(c.type, 0), "gather of " + c);
        });
    }

    @Contract(minRanks = 2)
    public static void scatterSendsToTheRemoteGroup(Trial t) throws Exception {
        each(t, c -> {
            int n = c.g.remoteSize();
            int each = c.count / 3;
            Intercomm both = c.g.both();
            boolean isRoot = c.at() == Comm.ROOT;
            Box send = c.send(isRoot ? n * each : 1);
            int rootsRank = (c.gives() ? c.g.mine() : c.g.theirs())[c.root];
            Box.Values expected = i -> c.value(rootsRank, (long) c.g.rank() * each + i);
            Box recv = c.recv(each, expected);
            Buf from = isRoot ? send.buf() : Buf.NONE;
            Buf into = c.at() >= 0 ? recv.buf() : Buf.NONE;
            c.form.call(
                    () -> both.scatter(from, into, c.at()),
                    () -> both.iscatter(from, into, c.at()),
                    () -> both.scatterInit(from, into, c.at()));
            recv.expect(c.at() >= 0 ? expected : i -> Plain.other(c.type, expected.at(i)), "scatter of " + c);
        });
    }

    @Contract(minRanks = 2)
    public static void allgatherReceivesRemoteBlocks(Trial t) throws Exception {
        each(t, c -> {
            // the first group sends more data than it receives
            int mine = c.g.low() ? c.count / 2 : c.count / 3;
            int theirs = c.g.low() ? c.count / 3 : c.count / 2;
            int n = c.g.remoteSize();
            Box send = c.send(mine);
            Box.Values expected = i -> theirs == 0 ? 0 : c.value(c.g.theirs()[i / theirs], i % theirs);
            Box recv = c.recv(n * theirs, expected);
            Intercomm both = c.g.both();
            c.form.call(
                    () -> both.allgather(send.buf(), recv.buf()),
                    () -> both.iallgather(send.buf(), recv.buf()),
                    () -> both.allgatherInit(send.buf(), recv.buf()));
            recv.expect(expected, "allgather of " + c);
        });
    }

    @Contract(minRanks = 2)
    public static void alltoallExchangesBlocks(Trial t) throws Exception {
        each(t, c -> {
            int mine = c.g.low() ? c.count / 3 : c.count / 2;
            int theirs = c.g.low() ? c.count / 2 : c.count / 3;
            int n = c.g.remoteSize();
            Box send = c.send(n * mine);
            Box.Values expected =
                    i -> theirs == 0 ? 0 : c.value(c.g.theirs()[i / theirs], (long) c.g.rank() * theirs + i % theirs);
            Box recv = c.recv(n * theirs, expected);
            Intercomm both = c.g.both();
            c.form.call(
                    () -> both.alltoall(send.buf(), recv.buf()),
                    () -> both.ialltoall(send.buf(), recv.buf()),
                    () -> both.alltoallInit(send.buf(), recv.buf()));
            recv.expect(expected, "alltoall of " + c);
        });
    }

    /// Rank r sends r + s elements to rank s: type INT in one direction, DOUBLE in the other.
    @Contract(minRanks = 2)
    public static void blocksAndTypesOfEachDirection(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int n = g.remoteSize();
            int[] counts = IntStream.range(0, n).map(s -> s + g.rank()).toArray();
            int all = IntStream.of(counts).sum();
            double[] doubles = new double[all];
            int[] ints = new int[all];
            Buf mine = (g.low() ? buf(ints) : buf(doubles)).blocks(counts);
            Buf theirs = (g.low() ? buf(doubles) : buf(ints)).blocks(counts);
            Arrays.fill(ints, g.low() ? t.rank() : -1);
            Arrays.fill(doubles, g.low() ? -1 : t.rank());
            g.both().alltoall(mine, theirs);
            for (int s = 0, i = 0; s < n; s++) {
                for (int k = 0; k < counts[s]; k++, i++) {
                    Check.same(g.theirs()[s], g.low() ? (int) doubles[i] : ints[i], "element ", i);
                }
            }
            int[] gathered = new int[n * (n + 1) / 2];
            int[] lengths = IntStream.range(0, n).map(r -> r + 1).toArray();
            int[] own = new int[g.rank() + 1];
            Arrays.fill(own, t.rank());
            g.both().allgather(buf(own), buf(gathered).blocks(lengths));
            for (int r = 0, i = 0; r < n; r++) {
                for (int k = 0; k <= r; k++, i++) Check.same(g.theirs()[r], gathered[i], "gathered " + i);
            }
        });
    }

    /// One group sends columns of a matrix, which the other group receives as rows, and vice versa.
    @Contract(minRanks = 2)
    public static void derivedTypesInEitherGroup(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int n = g.remoteSize();
            int[] mine = new int[9];
            for (int i = 0; i < 9; i++) mine[i] = 10 * t.rank() + i;
            int[] got = new int[3 * n];
            Datatype column = Datatype.INT.vector(3, 1, 3).resized(0, 4);
            // the second column
            Buf second = buf(mine, 1, 1, column);
            g.both().allgather(second, buf(got));
            for (int i = 0; i < 3 * n; i++) Check.same(10 * g.theirs()[i / 3] + 3 * (i % 3) + 1, got[i], "element ", i);
            int at = g.root(true, 0);
            int[] in = new int[9];
            Buf there = at == Comm.ROOT ? second : at >= 0 ? buf(in, 2, 1, column) : Buf.NONE;
            g.both().bcast(there, at);
            int root = g.theirs()[0];
            for (int i = 0; i < 9 && at >= 0; i++) Check.same(i % 3 == 2 ? 10 * root + i - 1 : 0, in[i], "bcast " + i);
        });
    }

    /// The ranks pass columns of a matrix; the root and received blocks use contiguous numbers.
    @Contract(minRanks = 2)
    public static void blocksOfDerivedTypes(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int n = g.remoteSize();
            Datatype column = Datatype.INT.vector(3, 1, 3).resized(0, 4);
            int at = g.root(true, 0);
            boolean isRoot = at == Comm.ROOT;
            int[] mine = new int[9];
            for (int i = 0; i < 9; i++) mine[i] = 10 * t.rank() + i;
            int[] got = new int[3 * n];
            g.both().gather(at >= 0 ? buf(mine, 1, 1, column) : Buf.NONE, isRoot ? buf(got) : Buf.NONE, at);
            for (int i = 0; i < 3 * n && isRoot; i++)
                Check.same(10 * g.theirs()[i / 3] + 3 * (i % 3) + 1, got[i], "gathered " + i);

            int[] out = new int[3 * n];
            for (int i = 0; i < 3 * n; i++) out[i] = 100 * t.rank() + i;
            int[] in = new int[9];
            g.both().scatter(isRoot ? buf(out) : Buf.NONE, at >= 0 ? buf(in, 2, 1, column) : Buf.NONE, at);
            for (int i = 0; i < 9 && at >= 0; i++)
                Check.same(i % 3 == 2 ? 100 * g.theirs()[0] + 3 * g.rank() + i / 3 : 0, in[i], "scattered " + i);

            int[] columns = new int[3 * n];
            for (int i = 0; i < 3 * n; i++) columns[i] = 100 * t.rank() + 10 * (i % n) + i / n;
            Datatype one = Datatype.INT.vector(3, 1, n).resized(0, 4);
            g.both().alltoall(buf(columns, 0, n, one), buf(got));
            for (int i = 0; i < 3 * n; i++)
                Check.same(100 * g.theirs()[i / 3] + 10 * g.rank() + i % 3, got[i], "exchanged " + i);
        });
    }

    /// Rank r of the first group and rank s of the second group exchange r + s elements.
    @Contract(minRanks = 2)
    public static void alltoallwHasATypeForEachPair(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            int n = g.remoteSize();
            Buf[] send = new Buf[n];
            Buf[] recv = new Buf[n];
            int[][] ints = new int[n][];
            double[][] doubles = new double[n][];
            for (int s = 0; s < n; s++) {
                int[] out = new int[s + g.rank()];
                Arrays.fill(out, t.rank());
                boolean even = (s + g.rank()) % 2 == 0;
                send[s] = even
                        ? buf(out)
                        : buf(Arrays.stream(out).asDoubleStream().toArray());
                ints[s] = new int[s + g.rank()];
                doubles[s] = new double[s + g.rank()];
                recv[s] = even ? buf(ints[s]) : buf(doubles[s]);
            }
            Form form = Form.values()[t.size() % 3];
            form.call(
                    () -> g.both().alltoallw(send, recv),
                    () -> g.both().ialltoallw(send, recv),
                    () -> g.both().alltoallwInit(send, recv));
            for (int s = 0; s < n; s++) {
                boolean even = (s + g.rank()) % 2 == 0;
                for (int i = 0; i < s + g.rank(); i++) {
                    Check.same(g.theirs()[s], even ? ints[s][i] : (int) doubles[s][i], "of remote rank " + s);
                }
            }
        });
    }

    private static long composed(int[] ranks, long i) {
        long f = AffineMaps.of(ranks[0], i);
        for (int r = 1; r < ranks.length; r++) f = AffineMaps.compose(f, AffineMaps.of(ranks[r], i));
        return f;
    }

    private static void expectComposed(int[] ranks, long[] got, int first, String label) {
        for (int i = 0; i < got.length; i++) Check.same(composed(ranks, first + i), got[i], label + ", element " + i);
    }

    @Contract(minRanks = 2)
    public static void reductionsInRankOrder(Trial t) throws Exception {
        each(t, c -> {
            long[] mine = AffineMaps.of(t.rank(), c.count);
            long[] result = new long[c.count];
            Intercomm both = c.g.both();
            Buf from = c.at() >= 0 ? buf(mine) : Buf.NONE;
            Buf into = c.at() == Comm.ROOT ? buf(result) : Buf.NONE;
            c.form.call(
                    () -> both.reduce(from, into, AffineMaps.COMPOSE, c.at()),
                    () -> both.ireduce(from, into, AffineMaps.COMPOSE, c.at()),
                    () -> both.reduceInit(from, into, AffineMaps.COMPOSE, c.at()));
            if (c.at() == Comm.ROOT) expectComposed(c.g.theirs(), result, 0, "reduce of " + c);
            c.form.call(
                    () -> both.allreduce(buf(mine), buf(result), AffineMaps.COMPOSE),
                    () -> both.iallreduce(buf(mine), buf(result), AffineMaps.COMPOSE),
                    () -> both.allreduceInit(buf(mine), buf(result), AffineMaps.COMPOSE));
            expectComposed(c.g.theirs(), result, 0, "allreduce of " + c);
        });
    }

    /// The number of ranks of each group divides the total number of elements. Blocks grow with the rank.
    @Contract(minRanks = 2)
    public static void reduceScatterDistributesTheRemoteResult(Trial t) throws Exception {
        each(t, c -> {
            int n = c.g.size();
            int each = c.count * c.g.remoteSize() / 5;
            int total = c.count * c.g.remoteSize() / 5 * n;
            if (total != c.count * n / 5 * c.g.remoteSize()) return;
            long[] mine = AffineMaps.of(t.rank(), total);
            long[] result = new long[each];
            Intercomm both = c.g.both();
            c.form.call(
                    () -> both.reduceScatterBlock(buf(mine), buf(result), AffineMaps.COMPOSE),
                    () -> both.ireduceScatterBlock(buf(mine), buf(result), AffineMaps.COMPOSE),
                    () -> both.reduceScatterBlockInit(buf(mine), buf(result), AffineMaps.COMPOSE));
            expectComposed(c.g.theirs(), result, each * c.g.rank(), "reduceScatterBlock of " + c);
            int[] blocks = new int[n];
            int left = total;
            for (int r = 0; r < n - 1; r++) left -= blocks[r] = left / (n - r + 1);
            blocks[n - 1] = left;
            int first = IntStream.range(0, c.g.rank()).map(r -> blocks[r]).sum();
            long[] part = new long[blocks[c.g.rank()]];
            Buf operand = buf(mine).blocks(blocks);
            c.form.call(
                    () -> both.reduceScatter(operand, buf(part), AffineMaps.COMPOSE),
                    () -> both.ireduceScatter(operand, buf(part), AffineMaps.COMPOSE),
                    () -> both.reduceScatterInit(operand, buf(part), AffineMaps.COMPOSE));
            expectComposed(c.g.theirs(), part, first, "reduceScatter of " + c);
        });
    }

    @Contract(minRanks = 2)
    public static void scalars(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            long sum = IntStream.of(g.theirs()).sum();
            Check.same(sum, both.allreduce((long) t.rank(), Op.SUM), "sum");
            Check.same(Arrays.toString(g.theirs()), Arrays.toString(both.allgather(t.rank())), "ranks");
            int at = g.root(true, 0);
            OptionalLong max = both.reduce((long) t.rank(), Op.MAX, at);
            Check.same(at == Comm.ROOT, max.isPresent(), "whether the result is here");
            if (at == Comm.ROOT) Check.same(IntStream.of(g.theirs()).max().getAsInt(), max.getAsLong(), "max");
            double received = both.bcast(at == Comm.ROOT ? 2.5 : -1, at);
            Check.same(at == Comm.PROC_NULL ? "-1.0" : "2.5", "" + received, "value of the root");
            both.barrier();
            both.ibarrier().await();
        });
    }

    @Contract(minRanks = 2)
    public static void objectsInAllDirectionsAndFromARoot(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            int n = g.remoteSize();
            List<String> theirs =
                    Arrays.stream(g.theirs()).mapToObj(r -> "r" + r).toList();
            Check.same(theirs, both.allgatherObject("r" + t.rank()), "allgather");
            List<String> out = Collections.nCopies(n, "r" + t.rank());
            Check.same(theirs, both.alltoallObject(out), "alltoall");
            Check.same(String.join("", theirs), both.allreduceObject("r" + t.rank(), String::concat), "allreduce");
            for (boolean inFirst : new boolean[] {true, false}) {
                int at = g.root(inFirst, 0);
                boolean isRoot = at == Comm.ROOT;
                // short objects are sent together with the length, long objects in pieces
                for (int length : new int[] {1, 100_000}) {
                    String mine = at < 0 ? "x".repeat(length) : null;
                    Check.same(
                            "x".repeat(length),
                            both.bcastObject(String.class, at >= 0 ? mine : "x".repeat(length), at),
                            "bcast");
                }
                Check.same(isRoot ? theirs : null, both.gatherObject("r" + t.rank(), at), "gather");
                List<Integer> parts = new ArrayList<>();
                for (int r = 0; r < n; r++) parts.add(10 * r);
                Check.same(at >= 0 ? 10 * g.rank() : null, both.scatterObject(isRoot ? parts : null, at), "scatter");
                String joined = both.reduceObject("r" + t.rank(), at, String::concat);
                Check.same(isRoot ? String.join("", theirs) : null, joined, "reduce");
            }
            Check.same(n, both.allreduce(1, Op.SUM), "allreduce after object calls");
        });
    }

    /// Calls complete in any order, and ranks that have no part in a call continue immediately.
    @Contract(minRanks = 2)
    public static void concurrentCalls(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            long[][] results = new long[10][1];
            Request[] requests = new Request[30];
            for (int i = 0; i < 10; i++) {
                requests[3 * i] = both.iallreduce(buf(new long[] {t.rank() + i}), buf(results[i]), Op.SUM);
                int at = g.root(i % 2 == 0, 0);
                requests[3 * i + 1] = both.ibcast(at == Comm.PROC_NULL ? Buf.NONE : buf(new int[100]), at);
                requests[3 * i + 2] = both.ibarrier();
            }
            for (int i = 29; i >= 0; i--) requests[i].await();
            long sum = IntStream.of(g.theirs()).sum();
            for (int i = 0; i < 10; i++) Check.same(sum + (long) i * g.remoteSize(), results[i][0], "sum " + i);
        });
    }

    @Contract(minRanks = 2)
    public static void callsUndefinedForIntercommunicators(Trial t) throws Exception {
        TwoGroups.each(t, g -> {
            Intercomm both = g.both();
            Buf x = buf(new int[g.remoteSize()]);
            String end = " (" + g.where() + ")";
            String name = both.name();
            String inPlace =
                    ": IN_PLACE is not allowed, because " + name + " is an intercommunicator; pass two buffers";
            Check.rejects(
                    ErrorClass.ERR_BUFFER, "allreduce" + inPlace + end, () -> both.allreduce(Buf.IN_PLACE, x, Op.SUM));
            Check.rejects(ErrorClass.ERR_BUFFER, "alltoall" + inPlace + end, () -> both.alltoall(Buf.IN_PLACE, x));
            Check.rejects(ErrorClass.ERR_BUFFER, "iallgather" + inPlace + end, () -> both.iallgather(Buf.IN_PLACE, x));
            Check.rejects(
                    ErrorClass.ERR_BUFFER, "gather" + inPlace + end, () -> both.gather(Buf.IN_PLACE, Buf.NONE, 0));
            int n = g.remoteSize();
            Check.rejects(
                    ErrorClass.ERR_ROOT,
                    "bcast: root=" + n + " is not ROOT, PROC_NULL or a rank of the remote group of " + name
                            + ", which has ranks 0 to " + (n - 1)
                            + "; the root passes ROOT, the other ranks of this group"
                            + " PROC_NULL, and the other group the rank of the root" + end,
                    () -> both.bcast(x, n));
            Check.rejects(
                    ErrorClass.ERR_COUNT,
                    "scatterObject: values holds " + (n + 1) + " objects for " + n + " ranks" + end,
                    () -> both.scatterObject(Collections.nCopies(n + 1, 0), Comm.ROOT));
            if (n > 1) {
                Check.rejects(
                        ErrorClass.ERR_COUNT,
                        "allgather: recv holds " + (n + 1) + " elements, not a multiple of the " + n
                                + " ranks; use blocks(…) for blocks of different size" + end,
                        () -> both.allgather(buf(new int[1]), buf(new int[n + 1])));
            }
        });
    }
}
