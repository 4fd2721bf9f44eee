package org.tutti.conformance.contract.type;

import static org.tutti.conformance.contract.type.DerivedBlocks.empty;
import static org.tutti.conformance.contract.type.DerivedBlocks.models;
import static org.tutti.conformance.contract.type.DerivedBlocks.spread;
import static org.tutti.conformance.contract.type.DerivedBlocks.value;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.Trial;
import org.tutti.conformance.trial.TypeModel;
import org.tutti.conformance.trial.TypedArea;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Distribution;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// Collective calls with derived types. MPI 4.1, chapters 5 and 6.
public final class DerivedCollectiveContract {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private DerivedCollectiveContract() {}

    @Contract
    public static void bcastBetweenDifferentTypes(Trial t) {
        Comm w = t.world();
        for (TypeModel m : models()) {
            for (int root = 0; root < t.size(); root++) {
                TypeModel mine = (t.rank() + root) % 2 == 0 ? m : m.spread(3);
                TypedArea area = new TypedArea(mine, mine == m ? 3 : 1, root % 2 == 0);
                int from = root;
                for (Form form : Form.values()) {
                    IntUnaryOperator sent = value(root, form.ordinal());
                    if (t.rank() == root) area.fill(sent);
                    form.call(
                            () -> w.bcast(area.buf(), from),
                            () -> w.ibcast(area.buf(), from),
                            () -> w.bcastInit(area.buf(), from));
                    area.expect(sent, form + " bcast from " + root + " of 3 " + m.type());
                }
            }
            w.bcast(new TypedArea(m, 0, true).buf(), 0);
        }
    }

    /// Ranks use different types for a long message, which is divided into parts: the parts must be the same on
    /// all ranks.
    @Contract
    public static void longBcastBetweenDifferentTypes(Trial t) {
        int n = 150_000;
        boolean column = t.rank() % 2 == 0;
        double[] a = new double[column ? 2 * n : n];
        int step = column ? 2 : 1;
        if (t.rank() == 0) for (int i = 0; i < n; i++) a[step * i] = i;
        t.world().bcast(column ? buf(a, 0, 1, Datatype.DOUBLE.vector(n, 1, 2)) : buf(a), 0);
        for (int i = 0; i < n; i++) if (a[step * i] != i) Check.same(i, a[step * i], "element " + i);
    }

    /// Each call (gather, scatter and allgather) in each form, with the types in turn.
    @Contract
    public static void gatherAndScatter(Trial t) {
        Comm w = t.world();
        int turn = 0;
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                DerivedBlocks places = DerivedBlocks.of(t.size(), uneven);
                int root = t.size() - 1;
                boolean atRoot = t.rank() == root;
                int mine = places.count(t.rank());
                String label = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator joined = places.joined(m.size(), r -> value(r, 0));

                TypedArea own = spread(m, mine).fill(value(t.rank(), 0));
                TypedArea all = empty(m, places.all(), uneven);
                Buf blocks = atRoot ? places.in(all, uneven) : Buf.NONE;
                form(turn)
                        .call(
                                () -> w.gather(own.buf(), blocks, root),
                                () -> w.igather(own.buf(), blocks, root),
                                () -> w.gatherInit(own.buf(), blocks, root));
                if (atRoot) all.expect(joined, form(turn) + " gather, " + label);
                IntUnaryOperator onlyMine = places.joined(m.size(), r -> r == root ? value(r, 0) : i -> 0);
                if (atRoot) all.fill(onlyMine);
                Buf send = atRoot ? Buf.IN_PLACE : own.buf();
                form(turn + 1)
                        .call(
                                () -> w.gather(send, blocks, root),
                                () -> w.igather(send, blocks, root),
                                () -> w.gatherInit(send, blocks, root));
                if (atRoot) all.expect(joined, form(turn + 1) + " gather in place, " + label);

                TypedArea back = spread(m, mine);
                form(turn)
                        .call(
                                () -> w.scatter(blocks, back.buf(), root),
                                () -> w.iscatter(blocks, back.buf(), root),
                                () -> w.scatterInit(blocks, back.buf(), root));
                back.expect(value(t.rank(), 0), form(turn) + " scatter, " + label);
                TypedArea again = spread(m, mine);
                Buf recv = atRoot ? Buf.IN_PLACE : again.buf();
                form(turn + 1)
                        .call(
                                () -> w.scatter(blocks, recv, root),
                                () -> w.iscatter(blocks, recv, root),
                                () -> w.scatterInit(blocks, recv, root));
                if (!atRoot) again.expect(value(t.rank(), 0), form(turn + 1) + " scatter in place, " + label);
                turn++;
            }
        }
    }

    private static Form form(int turn) {
        return Form.values()[turn % 3];
    }

    @Contract
    public static void allgather(Trial t) {
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                DerivedBlocks places = DerivedBlocks.of(t.size(), uneven);
                String label = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator joined = places.joined(m.size(), r -> value(r, 0));
                TypedArea own = spread(m, places.count(t.rank())).fill(value(t.rank(), 0));
                TypedArea all = empty(m, places.all(), uneven);
                t.world().allgather(own.buf(), places.in(all, uneven));
                all.expect(joined, "allgather, " + label);
                IntUnaryOperator onlyMine = places.joined(m.size(), r -> r == t.rank() ? value(r, 0) : i -> 0);
                TypedArea inPlace = new TypedArea(m, places.all(), !uneven).fill(onlyMine);
                t.world().iallgather(Buf.IN_PLACE, places.in(inPlace, uneven)).await();
                inPlace.expect(joined, "allgather in place, " + label);
                try (PersistentRequest r = t.world().allgatherInit(own.buf(), places.in(all, uneven))) {
                    for (int round = 2; round < 4; round++) {
                        int factor = round;
                        own.fill(i -> factor * value(t.rank(), 0).applyAsInt(i));
                        r.start();
                        r.await();
                        all.expect(i -> factor * joined.applyAsInt(i), "persistent allgather, " + label);
                    }
                }
            }
        }
    }

    /// Two ranks exchange blocks of equal length. The receiver uses structs that contain the sent elements.
    @Contract
    public static void alltoall(Trial t) {
        Comm w = t.world();
        int turn = 0;
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                DerivedBlocks places = DerivedBlocks.of(t.size(), uneven, r -> uneven ? (r + t.rank()) % 2 : 2);
                DerivedBlocks incoming = DerivedBlocks.of(t.size(), uneven, r -> uneven ? (r + t.rank()) % 2 : 1);
                TypeModel other = m.spread(uneven ? 1 : 2);
                String label = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator sent = places.joined(m.size(), r -> value(t.rank(), r));
                IntUnaryOperator exchanged = places.joined(m.size(), r -> value(r, t.rank()));
                TypedArea out = empty(m, places.all(), uneven).fill(sent);
                TypedArea in = empty(other, incoming.all(), !uneven);
                Buf from = places.in(out, uneven), to = incoming.in(in, uneven);
                form(turn)
                        .call(() -> w.alltoall(from, to), () -> w.ialltoall(from, to), () -> w.alltoallInit(from, to));
                in.expect(incoming.joined(other.size(), r -> value(r, t.rank())), form(turn) + " alltoall, " + label);
                out.expect(sent, "alltoall, send buffer, " + label);
                form(turn + 1)
                        .call(
                                () -> w.alltoall(from),
                                () -> w.ialltoall(Buf.IN_PLACE, from),
                                () -> w.alltoallInit(Buf.IN_PLACE, from));
                out.expect(exchanged, form(turn + 1) + " alltoall in place, " + label);
                turn++;
            }
        }
    }

    /// Each pair of ranks has a different type and length, which may be 0.
    @Contract
    public static void alltoallw(Trial t) {
        Comm w = t.world();
        int n = t.size(), me = t.rank();
        for (Form form : Form.values()) {
            Buf[] send = new Buf[n], recv = new Buf[n], both = new Buf[n];
            TypedArea[] in = new TypedArea[n], place = new TypedArea[n];
            for (int r = 0; r < n; r++) {
                TypeModel m = models().get((r + me) % 3);
                int count = (r + me) % 4;
                send[r] = new TypedArea(m, count, r % 2 == 0).fill(value(me, r)).buf();
                in[r] = spread(m, count);
                recv[r] = in[r].buf();
                place[r] = new TypedArea(m, count, r % 2 != 0).fill(value(me, r));
                both[r] = place[r].buf();
            }
            form.call(() -> w.alltoallw(send, recv), () -> w.ialltoallw(send, recv), () -> w.alltoallwInit(send, recv));
            form.call(() -> w.alltoallw(both), () -> w.ialltoallw(both), () -> w.alltoallwInit(both));
            for (int r = 0; r < n; r++) {
                in[r].expect(value(r, me), form + " alltoallw, from rank " + r);
                place[r].expect(value(r, me), form + " alltoallw in place, from rank " + r);
            }
        }
    }

    /// Two active calls fill different blocks of one array, while the program writes to the remaining elements.
    @Contract
    public static void blocksOfTwoCallsShareOneArray(Trial t) {
        int n = t.size();
        long[] ones = new long[n], first = new long[n], second = new long[n];
        for (int r = 0; r < n; r++) {
            ones[r] = 1;
            first[r] = 3L * r;
            second[r] = 3L * r + 1;
        }
        boolean[] flags = new boolean[3 * n];
        int[] ints = new int[6 * n];
        Buf spaced = buf(ints, 0, 3 * n, Datatype.INT.resized(0, 8));
        Buf own = buf(new boolean[] {true}), number = buf(new int[] {7});
        List<Request> all = List.of(
                t.world().iallgather(own, buf(flags).blocks(ones, first)),
                t.world().iallgather(own, buf(flags).blocks(ones, second)),
                t.world().iallgather(number, spaced.blocks(ones, first)),
                t.world().iallgather(number, spaced.blocks(ones, second)));
        for (int r = 0; r < n; r++) {
            flags[3 * r + 2] = true;
            ints[6 * r + 4] = 7;
        }
        for (Request r : all) r.await();
        for (int i = 0; i < flags.length; i++) {
            Check.that(flags[i], "flag " + i + " of " + flags.length);
            Check.same(7, ints[2 * i], "number " + i);
        }
    }

    /// If there are more ranks than rows, the part of the last rank is empty and has a type without elements.
    @Contract
    public static void oneRankHasAnEmptyPart(Trial t) {
        int n = t.size(), rows = Math.max(1, n - 1), columns = 3;
        Datatype part = Datatype.DOUBLE.darray(
                n,
                t.rank(),
                new int[] {rows, columns},
                new Distribution[] {Distribution.BLOCK, Distribution.NONE},
                new int[] {Distribution.DEFAULT_ARGUMENT, Distribution.DEFAULT_ARGUMENT},
                new int[] {n, 1},
                ArrayOrder.C);
        long[] counts = new long[n];
        Arrays.fill(counts, 0, rows, columns);
        double[] mine = new double[rows * columns], all = new double[rows * columns];
        for (int i = 0; i < mine.length; i++) mine[i] = i;
        t.world().gather(buf(mine, 0, 1, part), t.rank() == 0 ? buf(all).blocks(counts) : Buf.NONE, 0);
        if (t.rank() == 0) Check.same(Arrays.toString(mine), Arrays.toString(all), "gathered data");
        double[] back = new double[rows * columns];
        t.world().scatter(t.rank() == 0 ? buf(all).blocks(counts) : Buf.NONE, buf(back, 0, 1, part), 0);
        for (int i = 0; i < back.length; i++) {
            Check.same(i / columns == t.rank() ? i : 0.0, back[i], "element " + i + " of the scattered data");
        }
        Buf nothing = t.rank() % 2 == 0 ? buf(new double[0]) : buf(mine, 0, 5, Datatype.DOUBLE.contiguous(0));
        t.world().bcast(nothing, 0);
        t.world().allgather(nothing, buf(new double[1], 0, n, Datatype.DOUBLE.vector(0, 1, 1)));
    }

    /// A matrix with one row on each rank becomes a matrix with one column on each rank.
    @Contract
    public static void alltoallFromElementsToColumns(Trial t) {
        int n = t.size(), width = 3;
        double[] rows = new double[n * width], columns = new double[n * width];
        for (int i = 0; i < rows.length; i++) rows[i] = 100 * t.rank() + i;
        Datatype column = Datatype.DOUBLE.vector(width, 1, n).resized(0, Double.BYTES);
        t.world().alltoall(buf(rows), buf(columns, 0, n, column));
        for (int i = 0; i < columns.length; i++) {
            int row = i / n;
            Check.same(100.0 * (i % n) + t.rank() * width + row, columns[i], "element " + i);
        }
    }

    /// The operation combines a sum and a count with a gap in memory. The kernel receives the elements without
    /// the gap.
    @Contract
    public static void userOperationOnADerivedType(Trial t) {
        Datatype mean = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.DOUBLE, Datatype.INT);
        Op join = Op.of("mean", mean, (in, inout, count) -> {
            for (long i = 0; i < 12 * count; i += 12) {
                inout.set(DOUBLE, i, in.get(DOUBLE, i) + inout.get(DOUBLE, i));
                inout.set(INT, i + 8, in.get(INT, i + 8) + inout.get(INT, i + 8));
            }
        });
        int turn = 0;
        Comm w = t.world();
        for (int count : new int[] {1, 3 * t.size(), 2_000 * t.size()}) {
            Form form = form(turn++);
            MemorySegment send = MemorySegment.ofArray(new byte[16 * count]);
            MemorySegment recv = MemorySegment.ofArray(new byte[16 * count]).fill((byte) 1);
            for (int i = 0; i < count; i++) {
                send.set(DOUBLE, 16L * i, i + t.rank());
                send.set(INT, 16L * i + 8, 1);
            }
            int n = t.size();
            double ranks = n * (n - 1) / 2.0;
            Buf in = buf(send, mean), out = buf(recv, mean);
            form.call(
                    () -> w.allreduce(in, out, join),
                    () -> w.iallreduce(in, out, join),
                    () -> w.allreduceInit(in, out, join));
            expectMeans(recv, count, 0, n, ranks, form + " allreduce");
            recv.copyFrom(send);
            setGaps(recv, count);
            form.call(
                    () -> w.allreduce(out, join),
                    () -> w.iallreduce(Buf.IN_PLACE, out, join),
                    () -> w.allreduceInit(Buf.IN_PLACE, out, join));
            expectMeans(recv, count, 0, n, ranks, form + " allreduce in place");
            int r = t.rank();
            form.call(() -> w.scan(in, out, join), () -> w.iscan(in, out, join), () -> w.scanInit(in, out, join));
            expectMeans(recv, count, 0, r + 1, r * (r + 1) / 2.0, form + " scan");
            form.call(() -> w.exscan(in, out, join), () -> w.iexscan(in, out, join), () -> w.exscanInit(in, out, join));
            if (r > 0) expectMeans(recv, count, 0, r, r * (r - 1) / 2.0, form + " exscan");
            Buf result = r == 0 ? out : Buf.NONE;
            Op any = join.commutative();
            form.call(
                    () -> w.reduce(in, result, any, 0),
                    () -> w.ireduce(in, result, any, 0),
                    () -> w.reduceInit(in, result, any, 0));
            if (r == 0) expectMeans(recv, count, 0, n, ranks, form + " reduce");
            if (count == 1) continue;
            int own = count / n;
            Buf block = buf(recv, 0, own, mean);
            form.call(
                    () -> w.reduceScatterBlock(in, block, join),
                    () -> w.ireduceScatterBlock(in, block, join),
                    () -> w.reduceScatterBlockInit(in, block, join));
            expectMeans(recv, own, r * own, n, ranks, form + " reduceScatterBlock");
            long[] counts = new long[n];
            Arrays.setAll(counts, i -> (i + 1L) % 3 * (own / 3));
            long before = Arrays.stream(counts).limit(r).sum(),
                    total = Arrays.stream(counts).sum();
            Buf operand = buf(send, 0, total, mean).blocks(counts), part = buf(recv, 0, counts[r], mean);
            form.call(
                    () -> w.reduceScatter(operand, part, join),
                    () -> w.ireduceScatter(operand, part, join),
                    () -> w.reduceScatterInit(operand, part, join));
            expectMeans(recv, (int) counts[r], (int) before, n, ranks, form + " reduceScatter");
        }
    }

    private static void setGaps(MemorySegment recv, int count) {
        for (int i = 0; i < count; i++) recv.set(INT, 16L * i + 12, 0x01010101);
    }

    private static void expectMeans(MemorySegment recv, int count, int first, int n, double ranks, String label) {
        for (int i = 0; i < count; i++) {
            boolean right = recv.get(DOUBLE, 16L * i) == (double) n * (first + i) + ranks
                    && recv.get(INT, 16L * i + 8) == n
                    && recv.get(INT, 16L * i + 12) == 0x01010101;
            if (!right) throw new AssertionError(label + ": element " + i + " of " + count + " is wrong");
        }
    }

    @Contract
    public static void predefinedOperationsRejectDerivedTypes(Trial t) {
        Buf x = buf(new int[4], 0, 1, Datatype.INT.vector(2, 1, 2));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: SUM is not defined for vector(2, 1, 2) of INT; see the table at Op (" + t.where() + ")",
                () -> t.world().allreduce(x, Op.SUM));
    }
}
