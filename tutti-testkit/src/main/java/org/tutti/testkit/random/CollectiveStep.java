package org.tutti.testkit.random;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.PredefinedOp;
import org.tutti.mpi.Request;
import org.tutti.testkit.trial.Box;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Plain;

/// One collective call of any kind, blocking or begun and finished later.
final class CollectiveStep {
    private enum Kind {
        BARRIER,
        BCAST,
        REDUCE,
        ALLREDUCE,
        GATHER,
        ALLGATHER,
        SCATTER,
        ALLTOALL,
        REDUCE_SCATTER,
        SCAN,
        EXSCAN
    }

    private final Step step;
    private final Comm comm;
    private final Kind kind;
    private final Datatype type;
    private final int count;
    private final int root;
    private final PredefinedOp op;
    private final boolean inPlace;
    private final boolean uneven;
    private final boolean blocks;
    private final int[] counts;
    private final long[] displacements;
    private final int all;

    private @Nullable Request request;
    private Runnable check = () -> {};

    CollectiveStep(Step step) {
        this.step = step;
        comm = step.comm();
        kind = Kind.values()[step.shared().nextInt(Kind.values().length)];
        type = step.type();
        count = step.count();
        root = step.shared().nextInt(step.size());
        List<PredefinedOp> ops = Plain.opsOf(type);
        op = ops.get(step.shared().nextInt(ops.size()));
        inPlace = step.shared().nextBoolean();
        uneven = step.shared().nextBoolean();
        blocks = step.shared().nextBoolean();
        counts = new int[step.size()];
        displacements = new long[step.size()];
        int at = 0;
        for (int r = 0; r < counts.length; r++) {
            counts[r] = uneven ? step.shared().nextInt(20) : Math.min(count, 2000);
            int gap = uneven && step.shared().nextBoolean() ? 2 : 0;
            displacements[r] = (long) at + gap;
            at += counts[r] + gap;
        }
        all = at;
    }

    /// Blocking calls do not match nonblocking ones: all ranks do the same.
    void run() {
        if (blocks) {
            call(false);
            check.run();
            return;
        }
        start();
        finish();
    }

    void start() {
        call(true);
    }

    void finish() {
        Request r = request;
        if (r != null) {
            if (step.own().nextBoolean()) while (!r.test()) Thread.yield();
            r.await();
        }
        check.run();
    }

    private long value(int rank, int index) {
        return Plain.value(type, step.seed(), rank, index);
    }

    private Box mine() {
        return step.box(type, count).fill(i -> value(step.me(), i));
    }

    private void call(boolean later) {
        int me = step.me();
        switch (kind) {
            case BARRIER -> {
                if (later) request = comm.ibarrier();
                else comm.barrier();
            }
            case BCAST -> {
                Box box = step.box(type, count);
                if (me == root) box.fill(i -> value(root, i));
                if (later) request = comm.ibcast(box.buf(), root);
                else comm.bcast(box.buf(), root);
                check = () -> box.expect(i -> value(root, i), "bcast");
            }
            case REDUCE -> {
                Box in = mine();
                Box out = step.box(type, count);
                if (inPlace && me == root) out.fill(i -> value(me, i));
                Buf send = inPlace && me == root ? Buf.IN_PLACE : in.buf();
                Buf recv = me == root ? out.buf() : Buf.NONE;
                if (later) request = comm.ireduce(send, recv, op, root);
                else comm.reduce(send, recv, op, root);
                if (me == root) check = () -> out.expect(i -> reduced(step.size(), i), "reduce " + op);
            }
            case ALLREDUCE -> {
                Box out = step.box(type, count);
                Buf send = operand(out);
                if (later) request = comm.iallreduce(send, out.buf(), op);
                else comm.allreduce(send, out.buf(), op);
                check = () -> out.expect(i -> reduced(step.size(), i), "allreduce " + op);
            }
            case SCAN -> {
                Box out = step.box(type, count);
                Buf send = operand(out);
                if (later) request = comm.iscan(send, out.buf(), op);
                else comm.scan(send, out.buf(), op);
                check = () -> out.expect(i -> reduced(me + 1, i), "scan " + op);
            }
            case EXSCAN -> {
                Box out = step.box(type, count);
                Buf send = operand(out);
                if (later) request = comm.iexscan(send, out.buf(), op);
                else comm.exscan(send, out.buf(), op);
                if (me > 0) check = () -> out.expect(i -> reduced(me, i), "exscan " + op);
            }
            case REDUCE_SCATTER -> reduceScatter(later);
            case GATHER -> gather(later);
            case ALLGATHER -> allgather(later);
            case SCATTER -> scatter(later);
            case ALLTOALL -> alltoall(later);
        }
    }

    private Buf operand(Box out) {
        if (!inPlace) return mine().buf();
        out.fill(i -> value(step.me(), i));
        return Buf.IN_PLACE;
    }

    private long reduced(int ranks, int index) {
        return Plain.reduced(type, op, step.seed(), ranks, index);
    }

    private Buf shaped(Box box) {
        return uneven ? box.buf().blocks(longs(), displacements) : box.buf();
    }

    private long[] longs() {
        long[] longs = new long[counts.length];
        for (int r = 0; r < longs.length; r++) longs[r] = counts[r];
        return longs;
    }

    private Box myBlock() {
        return step.box(type, counts[step.me()]).fill(i -> value(step.me(), i));
    }

    /// Every rank's block lies where it belongs.
    private void expectBlocks(Box box, String what) {
        for (int r = 0; r < counts.length; r++) {
            for (int i = 0; i < counts[r]; i++) {
                Check.same(value(r, i), box.get((int) displacements[r] + i), what + ", block " + r + ", element " + i);
            }
        }
    }

    private void gather(boolean later) {
        boolean atRoot = step.me() == root;
        Box out = step.box(type, atRoot ? all : 0);
        Buf send = myBlock().buf();
        if (atRoot && inPlace) {
            placeOwn(out);
            send = Buf.IN_PLACE;
        }
        Buf recv = atRoot ? shaped(out) : Buf.NONE;
        if (later) request = comm.igather(send, recv, root);
        else comm.gather(send, recv, root);
        if (atRoot) check = () -> expectBlocks(out, "gather");
    }

    private void allgather(boolean later) {
        Box out = step.box(type, all);
        Buf send = myBlock().buf();
        if (inPlace) {
            placeOwn(out);
            send = Buf.IN_PLACE;
        }
        if (later) request = comm.iallgather(send, shaped(out));
        else comm.allgather(send, shaped(out));
        check = () -> expectBlocks(out, "allgather");
    }

    private void placeOwn(Box out) {
        int me = step.me();
        for (int i = 0; i < counts[me]; i++) out.set((int) displacements[me] + i, value(me, i));
    }

    private void scatter(boolean later) {
        int me = step.me();
        boolean atRoot = me == root;
        Box in = step.box(type, atRoot ? all : 0);
        if (atRoot) {
            for (int r = 0; r < counts.length; r++) {
                for (int i = 0; i < counts[r]; i++) in.set((int) displacements[r] + i, value(r, i));
            }
        }
        Box out = step.box(type, counts[me]);
        Buf send = atRoot ? shaped(in) : Buf.NONE;
        Buf recv = atRoot && inPlace ? Buf.IN_PLACE : out.buf();
        if (later) request = comm.iscatter(send, recv, root);
        else comm.scatter(send, recv, root);
        if (recv == Buf.IN_PLACE) check = () -> expectBlocks(in, "scatter in place");
        else check = () -> out.expect(i -> value(me, i), "scatter");
    }

    /// From rank a to rank b go `counts[(a + b) % n]` elements, of value `(a, b)`.
    private void alltoall(boolean later) {
        int me = step.me();
        int n = step.size();
        long[] each = new long[n];
        int sum = 0;
        for (int r = 0; r < n; r++) {
            each[r] = counts[(me + r) % n];
            sum += (int) each[r];
        }
        int total = sum;
        Box out = step.box(type, total);
        Box in = inPlace ? out : step.box(type, total);
        int at = 0;
        for (int r = 0; r < n; r++) for (int i = 0; i < each[r]; i++) in.set(at++, value(me * n + r, i));
        Buf send = inPlace ? Buf.IN_PLACE : uneven ? in.buf().blocks(each) : in.buf();
        Buf recv = uneven ? out.buf().blocks(each) : out.buf();
        if (later) request = comm.ialltoall(send, recv);
        else comm.alltoall(send, recv);
        check = () -> {
            int place = 0;
            for (int r = 0; r < n; r++) {
                for (int i = 0; i < each[r]; i++) {
                    Check.same(value(r * n + me, i), out.get(place++), "alltoall, block " + r + ", element " + i);
                }
            }
        };
    }

    private void reduceScatter(boolean later) {
        int me = step.me();
        int total = 0;
        int before = 0;
        for (int r = 0; r < counts.length; r++) {
            if (r == me) before = total;
            total += counts[r];
        }
        int first = before;
        Box in = step.box(type, total).fill(i -> value(me, i));
        Box out = inPlace ? in : step.box(type, counts[me]);
        Buf operand = uneven ? in.buf().blocks(longs()) : in.buf();
        Buf send = inPlace ? Buf.IN_PLACE : operand;
        Buf recv = inPlace ? operand : out.buf();
        if (uneven) {
            if (later) request = comm.ireduceScatter(send, recv, op);
            else comm.reduceScatter(send, recv, op);
        } else {
            if (later) request = comm.ireduceScatterBlock(send, recv, op);
            else comm.reduceScatterBlock(send, recv, op);
        }
        check = () -> {
            for (int i = 0; i < counts[me]; i++) {
                Check.same(reduced(step.size(), first + i), out.get(i), "reduceScatter " + op + ", element " + i);
            }
        };
    }
}
