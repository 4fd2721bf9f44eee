package org.tutti.conformance.contract.collective;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;

/// Collective operations on one `float` or `boolean`. Other types are tested with each operation. MPI 4.1,
/// chapter 6.
public final class ScalarContract {
    private ScalarContract() {}

    /// Returns the value of a rank: true on every third rank.
    private static boolean flag(int rank) {
        return rank % 3 == 1;
    }

    private static boolean combined(Op op, int from, int to) {
        boolean all = flag(from);
        for (int r = from + 1; r < to; r++) {
            if (op == Op.LAND) all &= flag(r);
            else if (op == Op.LOR) all |= flag(r);
            else all ^= flag(r);
        }
        return all;
    }

    @Contract
    public static void broadcasts(Trial t) {
        for (int root = 0; root < t.size(); root++) {
            Check.that(t.world().bcast(t.rank() + 0.5f, root) == root + 0.5f, "bcast of a float");
            Check.that(t.world().bcast(flag(t.rank()), root) == flag(root), "bcast of a boolean");
        }
    }

    @Contract
    public static void allgathersInRankOrder(Trial t) {
        float[] floats = t.world().allgather(t.rank() + 0.25f);
        boolean[] flags = t.world().allgather(flag(t.rank()));
        Check.same(t.size(), floats.length, "length of the floats");
        Check.same(t.size(), flags.length, "length of the booleans");
        for (int r = 0; r < t.size(); r++) {
            Check.that(floats[r] == r + 0.25f, "float of rank " + r);
            Check.that(flags[r] == flag(r), "boolean of rank " + r);
        }
    }

    @Contract
    public static void reductionsOfFloats(Trial t) {
        Comm w = t.world();
        int n = t.size(), me = t.rank();
        Check.that(w.allreduce(me + 0.5f, Op.SUM) == n * n / 2f, "sum");
        Check.that(w.scan(me + 0.5f, Op.SUM) == (me + 1) * (me + 1) / 2f, "sum up to this rank");
        Check.same(me == 0 ? null : me * me / 2f, w.exscan(me + 0.5f, Op.SUM), "sum below");
        for (int root = 0; root < n; root++) {
            Float largest = w.reduce(me + 0.5f, Op.MAX, root);
            Check.same(me == root ? n - 0.5f : null, largest, "largest");
        }
    }

    @Contract
    public static void reductionsOfBooleans(Trial t) {
        Comm w = t.world();
        int n = t.size(), me = t.rank();
        for (Op op : new Op[] {Op.LAND, Op.LOR, Op.LXOR}) {
            Check.that(w.allreduce(flag(me), op) == combined(op, 0, n), op + " of all");
            Check.that(w.scan(flag(me), op) == combined(op, 0, me + 1), op + " up to this rank");
            Boolean below = me == 0 ? null : combined(op, 0, me);
            Check.same(below, w.exscan(flag(me), op), op + " below");
            int root = n - 1;
            Boolean all = me == root ? combined(op, 0, n) : null;
            Check.same(all, w.reduce(flag(me), op, root), op + " at the root");
        }
        Check.that(w.allreduce(true, Op.LAND), "all of true");
        Check.that(!w.allreduce(me > 0, Op.LAND), "all of false at rank 0");
    }

    /// A scalar argument is equivalent to a buffer with one element.
    @Contract
    public static void scalarsMatchBuffersOfOneElement(Trial t) {
        boolean[] flags = {flag(t.rank())};
        float[] numbers = {t.rank()};
        boolean value = t.rank() % 2 == 0;
        if (value) Check.that(t.world().allreduce(flags[0], Op.LOR) == combined(Op.LOR, 0, t.size()), "by value");
        else t.world().allreduce(buf(flags), Op.LOR);
        if (!value) Check.that(flags[0] == combined(Op.LOR, 0, t.size()), "by buffer");
        if (value) numbers[0] = t.world().bcast(numbers[0], 0);
        else t.world().bcast(buf(numbers), 0);
        Check.that(Arrays.equals(new float[] {0}, numbers), "broadcast by value and by buffer");
    }

    @Contract
    public static void undefinedOperations(Trial t) {
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: SUM is not defined for BOOLEAN; see the table at Op (" + t.where() + ")",
                () -> t.world().allreduce(true, Op.SUM));
        Check.rejects(
                ErrorClass.ERR_OP,
                "scan: LAND is not defined for FLOAT; see the table at Op (" + t.where() + ")",
                () -> t.world().scan(1f, Op.LAND));
    }
}
