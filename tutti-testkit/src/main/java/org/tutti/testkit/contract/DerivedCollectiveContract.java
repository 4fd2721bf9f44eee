package org.tutti.testkit.contract;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Contract;
import org.tutti.testkit.trial.Trial;
import org.tutti.testkit.trial.TypeModel;
import org.tutti.testkit.trial.TypedArea;

/// Collective calls with derived types. MPI 4.1, chapters 5 and 6.
public final class DerivedCollectiveContract {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private DerivedCollectiveContract() {}

    /// A column of a matrix, so that the next element is the next column; a struct with a gap in front, in
    /// the middle and at the end; a part of a cube.
    private static List<TypeModel> models() {
        TypeModel column = TypeModel.of(Datatype.INT).vector(5, 1, 99).resized(0, 4);
        TypeModel struct = TypeModel.struct(
                List.of(TypeModel.of(Datatype.SHORT), TypeModel.of(Datatype.DOUBLE), TypeModel.of(Datatype.INT)),
                2,
                8,
                24);
        return List.of(
                column, struct.resized(0, 32), TypeModel.of(Datatype.LONG).vector(2, 3, 4));
    }

    /// What rank `rank` passes for rank `to`.
    private static IntUnaryOperator value(int rank, int to) {
        return i -> 31 * i + 7 * rank + 13 * to + 1;
    }

    /// Where block r of a v form begins, and how long it is: some are empty, and they lie in reverse with
    /// gaps.
    private record Places(long[] counts, long[] displacements, int all) {
        static Places of(int ranks, boolean uneven) {
            long[] counts = new long[ranks], displacements = new long[ranks];
            long at = uneven ? 1 : 0;
            for (int r = 0; r < ranks; r++) {
                int block = uneven ? ranks - 1 - r : r;
                counts[block] = uneven ? block % 3 : 2;
                displacements[block] = at;
                at += counts[block] + (uneven ? 1 : 0);
            }
            return new Places(counts, displacements, (int) at);
        }

        int count(int rank) {
            return (int) counts[rank];
        }

        Buf in(TypedArea area, boolean uneven) {
            return uneven ? area.buf().blocks(counts, displacements) : area.buf();
        }

        /// Byte i of all: from the block it lies in, else 0.
        IntUnaryOperator joined(long elementBytes, IntFunction<IntUnaryOperator> block) {
            return i -> {
                for (int r = 0; r < counts.length; r++) {
                    long first = displacements[r] * elementBytes;
                    if (i >= first && i < first + counts[r] * elementBytes) {
                        return block.apply(r).applyAsInt((int) (i - first));
                    }
                }
                return 0;
            };
        }
    }

    private static TypedArea empty(TypeModel m, int count, boolean heap) {
        return new TypedArea(m, count, heap).fill(i -> 0);
    }

    @Contract
    public static void bcastBetweenDifferentTypes(Trial t) {
        for (TypeModel m : models()) {
            for (int root = 0; root < t.size(); root++) {
                TypeModel mine = (t.rank() + root) % 2 == 0 ? m : m.spread(3);
                TypedArea area = new TypedArea(mine, mine == m ? 3 : 1, root % 2 == 0);
                if (t.rank() == root) area.fill(value(root, 0));
                t.world().bcast(area.buf(), root);
                area.expect(value(root, 0), "bcast from " + root + " of 3 " + m.type());
                t.world().ibcast(area.buf(), root).await();
                area.expect(value(root, 0), "ibcast from " + root + " of 3 " + m.type());
            }
            TypedArea nothing = new TypedArea(m, 0, true);
            t.world().bcast(nothing.buf(), 0);
        }
    }

    /// Long enough to be cut into parts, which must be the same on ranks whose types differ.
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

    @Contract
    public static void gatherAndScatter(Trial t) {
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                Places places = Places.of(t.size(), uneven);
                int root = t.size() - 1;
                boolean atRoot = t.rank() == root;
                int mine = places.count(t.rank());
                String what = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator joined = places.joined(m.size(), r -> value(r, 0));

                TypedArea own = spread(m, mine).fill(value(t.rank(), 0));
                TypedArea all = empty(m, places.all, uneven);
                Buf blocks = places.in(all, uneven);
                t.world().gather(own.buf(), atRoot ? blocks : Buf.NONE, root);
                if (atRoot) all.expect(joined, "gather, " + what);
                if (atRoot) all.fill(joined);
                t.world().gather(atRoot ? Buf.IN_PLACE : own.buf(), atRoot ? blocks : Buf.NONE, root);
                if (atRoot) all.expect(joined, "gather in place, " + what);

                TypedArea back = spread(m, mine);
                t.world().scatter(atRoot ? blocks : Buf.NONE, back.buf(), root);
                back.expect(value(t.rank(), 0), "scatter, " + what);
                TypedArea again = spread(m, mine);
                t.world()
                        .iscatter(atRoot ? blocks : Buf.NONE, atRoot ? Buf.IN_PLACE : again.buf(), root)
                        .await();
                if (!atRoot) again.expect(value(t.rank(), 0), "scatter in place, " + what);
            }
        }
    }

    /// The elements of `count` others, in other places.
    private static TypedArea spread(TypeModel m, int count) {
        return count == 0 ? new TypedArea(m, 0, true) : new TypedArea(m.spread(count), 1, count % 2 == 0);
    }

    @Contract
    public static void allgather(Trial t) {
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                Places places = Places.of(t.size(), uneven);
                String what = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator joined = places.joined(m.size(), r -> value(r, 0));
                TypedArea own = spread(m, places.count(t.rank())).fill(value(t.rank(), 0));
                TypedArea all = empty(m, places.all, uneven);
                t.world().allgather(own.buf(), places.in(all, uneven));
                all.expect(joined, "allgather, " + what);
                IntUnaryOperator mineAlone = places.joined(m.size(), r -> r == t.rank() ? value(r, 0) : i -> 0);
                TypedArea inPlace = new TypedArea(m, places.all, !uneven).fill(mineAlone);
                t.world().iallgather(places.in(inPlace, uneven)).await();
                inPlace.expect(joined, "allgather in place, " + what);
                try (PersistentRequest r = t.world().allgatherInit(own.buf(), places.in(all, uneven))) {
                    for (int round = 2; round < 4; round++) {
                        int factor = round;
                        own.fill(i -> factor * value(t.rank(), 0).applyAsInt(i));
                        r.start();
                        r.await();
                        all.expect(i -> factor * joined.applyAsInt(i), "persistent allgather, " + what);
                    }
                }
            }
        }
    }

    @Contract
    public static void alltoall(Trial t) {
        for (TypeModel m : models()) {
            for (boolean uneven : new boolean[] {false, true}) {
                // what r has for s is as long as what s has for r
                Places places = Places.of(t.size(), uneven);
                if (uneven) Arrays.setAll(places.counts, r -> (r + t.rank()) % 2);
                String what = (uneven ? "v form of " : "") + m.type();
                IntUnaryOperator sent = places.joined(m.size(), r -> value(t.rank(), r));
                IntUnaryOperator come = places.joined(m.size(), r -> value(r, t.rank()));
                TypedArea out = empty(m, places.all, uneven).fill(sent);
                TypedArea in = empty(m, places.all, !uneven);
                t.world().alltoall(places.in(out, uneven), places.in(in, uneven));
                in.expect(come, "alltoall, " + what);
                out.expect(sent, "alltoall, what was sent, " + what);
                t.world().alltoall(places.in(out, uneven));
                out.expect(come, "alltoall in place, " + what);
            }
        }
    }

    /// A matrix with a row on each rank becomes one with a column on each.
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

    /// Sums and counts, with a gap between two elements; the kernel sees them without.
    @Contract
    public static void userOperationOnADerivedType(Trial t) {
        Datatype mean = Datatype.struct(new int[] {1, 1}, new long[] {0, 8}, Datatype.DOUBLE, Datatype.INT);
        Op join = Op.of("mean", mean, (in, inout, count) -> {
            for (long i = 0; i < 12 * count; i += 12) {
                inout.set(DOUBLE, i, in.get(DOUBLE, i) + inout.get(DOUBLE, i));
                inout.set(INT, i + 8, in.get(INT, i + 8) + inout.get(INT, i + 8));
            }
        });
        for (int count : new int[] {1, 3 * t.size(), 2_000 * t.size()}) {
            MemorySegment send = MemorySegment.ofArray(new byte[16 * count]);
            MemorySegment recv = MemorySegment.ofArray(new byte[16 * count]).fill((byte) 1);
            for (int i = 0; i < count; i++) {
                send.set(DOUBLE, 16L * i, i + t.rank());
                send.set(INT, 16L * i + 8, 1);
            }
            int n = t.size();
            double ranks = n * (n - 1) / 2.0;
            t.world().allreduce(buf(send, mean), buf(recv, mean), join);
            expectMeans(recv, count, 0, n, ranks, "allreduce");
            t.world().scan(buf(send, mean), buf(recv, mean), join);
            int r = t.rank();
            expectMeans(recv, count, 0, r + 1, r * (r + 1) / 2.0, "scan");
            t.world().reduce(buf(send, mean), r == 0 ? buf(recv, mean) : Buf.NONE, join.commutative(), 0);
            if (r == 0) expectMeans(recv, count, 0, n, ranks, "reduce");
            if (count == 1) continue;
            int own = count / n;
            t.world().reduceScatterBlock(buf(send, mean), buf(recv, 0, own, mean), join);
            expectMeans(recv, own, r * own, n, ranks, "reduceScatterBlock");
        }
    }

    private static void expectMeans(MemorySegment recv, int count, int first, int n, double ranks, String what) {
        for (int i = 0; i < count; i++) {
            boolean right = recv.get(DOUBLE, 16L * i) == (double) n * (first + i) + ranks
                    && recv.get(INT, 16L * i + 8) == n
                    && recv.get(INT, 16L * i + 12) == 0x01010101;
            if (!right) throw new AssertionError(what + ": element " + i + " of " + count + " is wrong");
        }
    }

    @Contract
    public static void operationsOfTheStandardAreForPredefinedTypes(Trial t) {
        Buf x = buf(new int[4], 0, 1, Datatype.INT.vector(2, 1, 2));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: SUM is not defined for vector(2, 1, 2) of INT; see the table at Op (" + t.where() + ")",
                () -> t.world().allreduce(x, Op.SUM));
    }
}
