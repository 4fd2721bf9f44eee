package org.tutti.conformance.random;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Form;
import org.tutti.conformance.trial.Plain;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// A collective call of a random kind and form, executed once or several times, each time with different
/// values.
final class CollectiveStep implements AutoCloseable {
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
    private final Datatype type;
    private final int count;
    private final int root;
    private final Op op;
    private final boolean inPlace;
    private final boolean uneven;
    private final Form form;
    private final int[] counts;
    private final long[] displacements;
    private final int all;

    /// The seed of the values.
    private long salt;

    private Runnable fill = () -> {}, check = () -> {}, blocking = () -> {};
    private @Nullable Supplier<Request> nonblocking;
    private @Nullable PersistentRequest persistent;

    /// The active request, or null.
    private @Nullable Request request;

    /// @param most maximum number of elements
    CollectiveStep(Step step, int most) {
        this(step, most, null);
    }

    /// Returns a persistent call, which can be started several times.
    static CollectiveStep persistent(Step step, int most) {
        return new CollectiveStep(step, most, Form.PERSISTENT);
    }

    private CollectiveStep(Step step, int most, @Nullable Form given) {
        this.step = step;
        comm = step.comm();
        Kind kind = Kind.values()[step.shared().nextInt(Kind.values().length)];
        type = step.type();
        count = Math.min(most, step.count());
        root = step.shared().nextInt(step.size());
        List<Op> ops = Plain.opsOf(type);
        op = ops.get(step.shared().nextInt(ops.size()));
        inPlace = step.shared().nextBoolean();
        uneven = step.shared().nextBoolean();
        form = given != null ? given : Form.values()[step.shared().nextInt(Form.values().length)];
        salt = step.seed();
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
        describe(kind);
    }

    /// Executes a blocking call, or starts a nonblocking or persistent call.
    void start() {
        salt++;
        fill.run();
        PersistentRequest again = persistent;
        if (again != null) {
            again.start();
            request = again;
        } else if (nonblocking != null) {
            request = nonblocking.get();
        } else {
            blocking.run();
            check.run();
        }
    }

    /// Waits for the call that [#start] started, and checks the result.
    void finish() {
        Request r = request;
        if (r == null) return;
        request = null;
        if (step.own().nextBoolean()) while (!r.test()) Thread.yield();
        r.await();
        check.run();
    }

    void run() {
        start();
        finish();
    }

    @Override
    public void close() {
        if (persistent != null) persistent.close();
    }

    /// Sets the call in the form of this step. All ranks use the same form, because different forms do not
    /// match.
    private void is(Runnable now, Supplier<Request> later, Supplier<PersistentRequest> again) {
        switch (form) {
            case BLOCKING -> blocking = now;
            case NONBLOCKING -> nonblocking = later;
            case PERSISTENT -> persistent = again.get();
        }
    }

    private long value(int rank, int index) {
        return Plain.value(type, salt, rank, index);
    }

    private void fillWithMine(Box box) {
        box.fill(i -> value(step.me(), i));
    }

    private void describe(Kind kind) {
        int me = step.me();
        switch (kind) {
            case BARRIER -> is(comm::barrier, comm::ibarrier, comm::barrierInit);
            case BCAST -> {
                Box box = step.box(type, count);
                Buf buf = box.buf();
                if (me == root) fill = () -> fillWithMine(box);
                check = () -> box.expect(i -> value(root, i), "bcast");
                is(() -> comm.bcast(buf, root), () -> comm.ibcast(buf, root), () -> comm.bcastInit(buf, root));
            }
            case REDUCE -> {
                boolean atRoot = me == root;
                Box out = step.box(type, count);
                Buf send = operand(out, inPlace && atRoot);
                Buf recv = atRoot ? out.buf() : Buf.NONE;
                if (atRoot) check = () -> out.expect(i -> reduced(step.size(), i), "reduce " + op);
                is(
                        () -> comm.reduce(send, recv, op, root),
                        () -> comm.ireduce(send, recv, op, root),
                        () -> comm.reduceInit(send, recv, op, root));
            }
            case ALLREDUCE -> {
                Box out = step.box(type, count);
                Buf send = operand(out, inPlace), recv = out.buf();
                check = () -> out.expect(i -> reduced(step.size(), i), "allreduce " + op);
                is(
                        () -> comm.allreduce(send, recv, op),
                        () -> comm.iallreduce(send, recv, op),
                        () -> comm.allreduceInit(send, recv, op));
            }
            case SCAN -> {
                Box out = step.box(type, count);
                Buf send = operand(out, inPlace), recv = out.buf();
                check = () -> out.expect(i -> reduced(me + 1, i), "scan " + op);
                is(
                        () -> comm.scan(send, recv, op),
                        () -> comm.iscan(send, recv, op),
                        () -> comm.scanInit(send, recv, op));
            }
            case EXSCAN -> {
                Box out = step.box(type, count);
                Buf send = operand(out, inPlace), recv = out.buf();
                if (me > 0) check = () -> out.expect(i -> reduced(me, i), "exscan " + op);
                is(
                        () -> comm.exscan(send, recv, op),
                        () -> comm.iexscan(send, recv, op),
                        () -> comm.exscanInit(send, recv, op));
            }
            case REDUCE_SCATTER -> reduceScatter();
            case GATHER -> gather();
            case ALLGATHER -> allgather();
            case SCATTER -> scatter();
            case ALLTOALL -> alltoall();
        }
    }

    /// Returns the buffer with this rank's values: the memory of the result, or a separate box.
    private Buf operand(Box out, boolean here) {
        Box in = here ? out : step.box(type, count);
        fill = () -> fillWithMine(in);
        return here ? Buf.IN_PLACE : in.buf();
    }

    private long reduced(int ranks, int index) {
        return Plain.reduced(type, op, salt, ranks, index);
    }

    private Buf shaped(Box box) {
        return uneven ? box.buf().blocks(longs(), displacements) : box.buf();
    }

    private long[] longs() {
        long[] longs = new long[counts.length];
        for (int r = 0; r < longs.length; r++) longs[r] = counts[r];
        return longs;
    }

    /// Returns the buffer with this rank's block: within the buffer of all blocks, or a separate box.
    private Buf block(Box whole, boolean here) {
        int me = step.me();
        if (here) {
            fill = () -> {
                for (int i = 0; i < counts[me]; i++) whole.set((int) displacements[me] + i, value(me, i));
            };
            return Buf.IN_PLACE;
        }
        Box mine = step.box(type, counts[me]);
        fill = () -> fillWithMine(mine);
        return mine.buf();
    }

    /// Checks that the block of every rank is at the correct position.
    private void expectBlocks(Box box, String label) {
        for (int r = 0; r < counts.length; r++) {
            for (int i = 0; i < counts[r]; i++) {
                Check.same(value(r, i), box.get((int) displacements[r] + i), label + ", block " + r + ", element " + i);
            }
        }
    }

    private void gather() {
        boolean atRoot = step.me() == root;
        Box out = step.box(type, atRoot ? all : 0);
        Buf send = block(out, inPlace && atRoot);
        Buf recv = atRoot ? shaped(out) : Buf.NONE;
        if (atRoot) check = () -> expectBlocks(out, "gather");
        is(
                () -> comm.gather(send, recv, root),
                () -> comm.igather(send, recv, root),
                () -> comm.gatherInit(send, recv, root));
    }

    private void allgather() {
        Box out = step.box(type, all);
        Buf send = block(out, inPlace), recv = shaped(out);
        check = () -> expectBlocks(out, "allgather");
        is(() -> comm.allgather(send, recv), () -> comm.iallgather(send, recv), () -> comm.allgatherInit(send, recv));
    }

    private void scatter() {
        int me = step.me();
        boolean atRoot = me == root;
        boolean here = atRoot && inPlace;
        Box in = step.box(type, atRoot ? all : 0);
        Box out = step.box(type, counts[me]);
        if (atRoot) {
            fill = () -> {
                for (int r = 0; r < counts.length; r++) {
                    for (int i = 0; i < counts[r]; i++) in.set((int) displacements[r] + i, value(r, i));
                }
            };
        }
        Buf send = atRoot ? shaped(in) : Buf.NONE;
        Buf recv = here ? Buf.IN_PLACE : out.buf();
        check = () -> {
            if (here) expectBlocks(in, "scatter in place");
            else out.expect(i -> value(me, i), "scatter");
        };
        is(
                () -> comm.scatter(send, recv, root),
                () -> comm.iscatter(send, recv, root),
                () -> comm.scatterInit(send, recv, root));
    }

    /// Rank a sends `counts[(a + b) % n]` elements to rank b.
    private void alltoall() {
        int me = step.me();
        int n = step.size();
        long[] each = new long[n];
        int sum = 0;
        for (int r = 0; r < n; r++) {
            each[r] = counts[(me + r) % n];
            sum += (int) each[r];
        }
        Box out = step.box(type, sum);
        Box in = inPlace ? out : step.box(type, sum);
        fill = () -> {
            int at = 0;
            for (int r = 0; r < n; r++) for (int i = 0; i < each[r]; i++) in.set(at++, value(me * n + r, i));
        };
        check = () -> {
            int at = 0;
            for (int r = 0; r < n; r++) {
                for (int i = 0; i < each[r]; i++) {
                    Check.same(value(r * n + me, i), out.get(at++), "alltoall, block " + r + ", element " + i);
                }
            }
        };
        Buf send = inPlace ? Buf.IN_PLACE : uneven ? in.buf().blocks(each) : in.buf();
        Buf recv = uneven ? out.buf().blocks(each) : out.buf();
        is(() -> comm.alltoall(send, recv), () -> comm.ialltoall(send, recv), () -> comm.alltoallInit(send, recv));
    }

    private void reduceScatter() {
        int me = step.me();
        int total = 0;
        int before = 0;
        for (int r = 0; r < counts.length; r++) {
            if (r == me) before = total;
            total += counts[r];
        }
        int first = before;
        Box in = step.box(type, total);
        Box out = inPlace ? in : step.box(type, counts[me]);
        fill = () -> fillWithMine(in);
        check = () -> {
            for (int i = 0; i < counts[me]; i++) {
                Check.same(reduced(step.size(), first + i), out.get(i), "reduceScatter " + op + ", element " + i);
            }
        };
        Buf operand = uneven ? in.buf().blocks(longs()) : in.buf();
        Buf send = inPlace ? Buf.IN_PLACE : operand;
        Buf recv = inPlace ? operand : out.buf();
        if (uneven) {
            is(
                    () -> comm.reduceScatter(send, recv, op),
                    () -> comm.ireduceScatter(send, recv, op),
                    () -> comm.reduceScatterInit(send, recv, op));
        } else {
            is(
                    () -> comm.reduceScatterBlock(send, recv, op),
                    () -> comm.ireduceScatterBlock(send, recv, op),
                    () -> comm.reduceScatterBlockInit(send, recv, op));
        }
    }
}
