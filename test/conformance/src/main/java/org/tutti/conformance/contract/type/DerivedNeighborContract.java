package org.tutti.conformance.contract.type;

import static org.tutti.conformance.contract.type.DerivedBlocks.models;
import static org.tutti.conformance.contract.type.DerivedBlocks.value;
import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.Trial;
import org.tutti.conformance.trial.TypeModel;
import org.tutti.conformance.trial.TypedArea;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DistGraph;
import org.tutti.mpi.Graph;
import org.tutti.mpi.Request;
import org.tutti.mpi.Topology;

/// Neighborhood collectives with derived types. Sender and receiver use different types. MPI 4.1, sections 8.6
/// to 8.8.
public final class DerivedNeighborContract {
    /// The content of memory that receives no data.
    private static final IntUnaryOperator OLD = i -> 0x77;

    private DerivedNeighborContract() {}

    /// Runs `body` on a grid with an end, where a neighbor is missing; on a ring, where two ranks are neighbors
    /// twice; and on graphs with duplicate edges. A rank receives block `b` of a neighbor as block `b ^ 1` in a
    /// grid, and as block `b` in a graph.
    private static void onAll(Trial t, Consumer<Topology> body) {
        int[] left = {t.left(), t.left()}, right = {t.right(), t.right()};
        int[][] pairs = new int[t.size()][];
        Arrays.setAll(pairs, r -> new int[] {r, r});
        try (Cartesian line = t.world().cartesian(new int[] {t.size(), 1}, new boolean[] {false, true});
                Cartesian ring = t.world().cartesian(new int[] {t.size()}, new boolean[] {true});
                DistGraph twice = t.world().distGraphAdjacent(left, right);
                Graph selves = t.world().graph(pairs)) {
            body.accept(line);
            body.accept(ring);
            body.accept(twice);
            body.accept(selves);
        }
    }

    /// Returns the index of the block received from `sources()[j]` in the send buffer of the source.
    private static int theirs(Topology comm, int j) {
        return comm instanceof Cartesian ? j ^ 1 : j;
    }

    /// Returns the bytes that source `j` sends as block `block`, or the old bytes for a missing neighbor.
    private static IntUnaryOperator from(Topology comm, int j, int block) {
        int source = comm.sources()[j];
        return source == Comm.PROC_NULL ? OLD : value(source, block);
    }

    @Contract
    public static void allgather(Trial t) {
        onAll(t, comm -> {
            int turn = t.size();
            for (TypeModel m : models()) {
                for (boolean uneven : new boolean[] {false, true}) {
                    Form form = Form.values()[turn++ % 3];
                    TypeModel other = m.spread(uneven ? 1 : 2);
                    IntUnaryOperator lengths = r -> uneven ? r == Comm.PROC_NULL ? 2 : r % 3 : 1;
                    DerivedBlocks blocks =
                            DerivedBlocks.of(comm.sources().length, uneven, j -> lengths.applyAsInt(comm.sources()[j]));
                    int mine = uneven ? lengths.applyAsInt(t.rank()) : 2;
                    TypedArea out = new TypedArea(m, mine, uneven).fill(value(t.rank(), 0));
                    TypedArea in =
                            new TypedArea(other, blocks.all(), !uneven).fill(blocks.joined(other.size(), j -> OLD));
                    Buf send = out.buf(), recv = blocks.in(in, uneven);
                    form.call(
                            () -> comm.neighborAllgather(send, recv),
                            () -> comm.ineighborAllgather(send, recv),
                            () -> comm.neighborAllgatherInit(send, recv));
                    in.expect(blocks.joined(other.size(), j -> from(comm, j, 0)), form + " " + comm + ", " + m.type());
                }
            }
        });
    }

    @Contract
    public static void alltoall(Trial t) {
        onAll(t, comm -> {
            int turn = t.size();
            int ins = comm.sources().length, outs = comm.destinations().length;
            for (TypeModel m : models()) {
                for (boolean uneven : new boolean[] {false, true}) {
                    Form form = Form.values()[turn++ % 3];
                    TypeModel other = m.spread(uneven ? 1 : 2);
                    DerivedBlocks sent = DerivedBlocks.of(outs, uneven, b -> uneven ? b : 2);
                    DerivedBlocks incoming = DerivedBlocks.of(ins, uneven, j -> uneven ? theirs(comm, j) : 1);
                    TypedArea out =
                            new TypedArea(m, sent.all(), uneven).fill(sent.joined(m.size(), b -> value(t.rank(), b)));
                    TypedArea in =
                            new TypedArea(other, incoming.all(), !uneven).fill(incoming.joined(other.size(), j -> OLD));
                    Buf send = sent.in(out, uneven), recv = incoming.in(in, uneven);
                    form.call(
                            () -> comm.neighborAlltoall(send, recv),
                            () -> comm.ineighborAlltoall(send, recv),
                            () -> comm.neighborAlltoallInit(send, recv));
                    in.expect(
                            incoming.joined(other.size(), j -> from(comm, j, theirs(comm, j))),
                            form + " " + comm + ", " + m.type());
                }
            }
        });
    }

    /// Block b contains b elements of the b-th model.
    @Contract
    public static void alltoallw(Trial t) {
        onAll(t, comm -> {
            int ins = comm.sources().length, outs = comm.destinations().length;
            for (Form form : Form.values()) {
                Buf[] send = new Buf[outs], recv = new Buf[ins];
                TypedArea[] in = new TypedArea[ins];
                for (int b = 0; b < outs; b++) {
                    TypeModel m = models().get(b % 3);
                    send[b] = new TypedArea(m, b, b % 2 == 0)
                            .fill(value(t.rank(), b))
                            .buf();
                }
                for (int j = 0; j < ins; j++) {
                    int block = theirs(comm, j);
                    in[j] = DerivedBlocks.spread(models().get(block % 3), block).fill(OLD);
                    recv[j] = in[j].buf();
                }
                form.call(
                        () -> comm.neighborAlltoallw(send, recv),
                        () -> comm.ineighborAlltoallw(send, recv),
                        () -> comm.neighborAlltoallwInit(send, recv));
                for (int j = 0; j < ins; j++) {
                    in[j].expect(from(comm, j, theirs(comm, j)), form + " " + comm + ", part " + j);
                }
            }
        });
    }

    record Point(double x, int id) {}

    /// Blocks of missing neighbors receive no data, so the program may write to these while other blocks are in
    /// transit.
    @Contract
    public static void blocksOfProcNullAreUnchanged(Trial t) {
        try (Cartesian row = t.world().cartesian(new int[] {1, t.size()}, new boolean[] {false, true})) {
            double[] border = new double[6];
            Buf[] faces = {Buf.NONE, Buf.NONE, Buf.NONE, Buf.NONE};
            Buf[] borders = {buf(border, 0, 1, Datatype.DOUBLE.vector(3, 1, 2)), Buf.NONE, Buf.NONE, Buf.NONE};
            boolean[] mine = {true}, flags = new boolean[4];
            Request parts = row.ineighborAlltoallw(faces, borders);
            Request blocks = row.ineighborAllgather(buf(mine), buf(flags));
            border[2] = 5;
            flags[1] = true;
            parts.await();
            blocks.await();
            Check.same("[0.0, 0.0, 5.0, 0.0, 0.0, 0.0]", Arrays.toString(border), "the border");
            Check.same("[false, true, true, true]", Arrays.toString(flags), "the flags");
            @Nullable Point[] points = new @Nullable Point[4];
            row.neighborAllgather(buf(new Point[] {new Point(0.5, t.rank())}), buf(points));
            Check.same(null, points[0], "the point from above");
            Check.same(new Point(0.5, t.left()), points[2], "the point from the left");
        }
    }
}
