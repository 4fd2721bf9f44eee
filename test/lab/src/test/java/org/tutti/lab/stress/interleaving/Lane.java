package org.tutti.lab.stress.interleaving;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.tutti.lab.stress.interleaving.InterleavedProgram.Step;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.type.ElementType;

/// A thread of a rank. It executes the steps of the lane and compares the results with a plain loop.
final class Lane {
    private static final int TESTS = 20;

    private record Pending(Activity activity, Runnable check) {}

    private final Scheduler scheduler;
    private final Engine engine;
    private final int me;
    /// The communicators, the newest first.
    private final Deque<CommPort> ports = new ArrayDeque<>();
    private final List<Pending> pending = new ArrayList<>();

    /// For each step, a bit set of the ranks of the world that have started the call.
    private final long[] started;

    Lane(Scheduler scheduler, Engine engine, CommPort first, long[] started) {
        this.scheduler = scheduler;
        this.engine = engine;
        this.started = started;
        me = first.rank();
        ports.push(first);
    }

    void run(List<Step> steps) {
        for (Step step : steps) {
            take(step);
            scheduler.progress();
        }
        complete(0);
        while (ports.size() > 1) engine.communicators().free(ports.pop());
    }

    private void take(Step step) {
        switch (step) {
            case Step.Call c -> call(c);
            case Step.Ring r -> ring(r);
            case Step.Stream s -> stream(s);
            case Step.Gather g -> gather(g);
            case Step.Access a -> new WindowLane(engine, port(), a.contiguous(), started).run(a);
            case Step.Complete c -> complete(c.how());
            case Step.Make m -> make(m.how());
            case Step.Cancel c -> cancel(c);
            case Step.Close c -> engine.communicators().free(ports.pop());
        }
    }

    private void begin(Activity a, boolean blocking, Runnable check) {
        if (blocking) {
            engine.run(a);
            checkSuccess(a);
            check.run();
        } else {
            engine.start(a);
            pending.add(new Pending(a, check));
        }
    }

    private static void checkSuccess(Activity a) {
        Throwable why = a.failure();
        if (why != null) throw new AssertionError(a.operation + " failed: " + why, why);
    }

    // ---- collective calls

    private void call(Step.Call step) {
        CommPort port = port();
        int size = port.size();
        int root = step.root() % size;
        int n = step.count();
        Collective c = engine.collective();
        String name = (step.blocking() ? "" : "i") + step.kind().name().toLowerCase(java.util.Locale.ROOT);
        c.fill(name, port, step.kind(), root);
        c.form = step.blocking() ? Collective.Form.BLOCKING : Collective.Form.NONBLOCKING;
        c.send.type = ElementType.LONG;
        c.recv.type = ElementType.LONG;
        int mine = port.rank();
        long[] result = new long[0];
        long[] expected = result;
        switch (step.kind()) {
            case BARRIER -> {}
            case BCAST -> {
                expected = values(step.number(), root, n);
                result = mine == root ? expected.clone() : new long[n];
                c.send.count = n;
            }
            case REDUCE, ALLREDUCE -> {
                c.send.memory = memory(values(step.number(), mine, n));
                c.send.count = n;
                c.op = PredefinedReduction.SUM;
                if (step.kind() == Collective.Kind.ALLREDUCE || mine == root) {
                    result = new long[n];
                    expected = new long[n];
                    for (int r = 0; r < size; r++)
                        for (int i = 0; i < n; i++) expected[i] += InterleavedProgram.value(step.number(), r, i);
                }
            }
            case ALLGATHER, ALLTOALL -> {
                boolean all = step.kind() == Collective.Kind.ALLTOALL;
                c.send.memory = memory(values(step.number(), mine, all ? n * size : n));
                c.send.count = n;
                c.recv.count = n;
                result = new long[n * size];
                expected = new long[n * size];
                for (int r = 0; r < size; r++)
                    for (int i = 0; i < n; i++)
                        expected[r * n + i] = InterleavedProgram.value(step.number(), r, all ? mine * n + i : i);
            }
            default -> throw new IllegalStateException("no such call: " + step.kind());
        }
        boolean publishes = n > 1000 && (step.number() + mine) % 2 == 0;
        boolean publishesResult = publishes && step.kind() == Collective.Kind.BCAST && mine == root;
        boolean publishesOperand = publishes && !step.kind().rooted() && expected.length > 0;
        if (publishesOperand) c.send.memory = shared(c.send.memory);
        Memory sent = c.send.memory;
        if (step.kind() != Collective.Kind.BARRIER) c.recv.memory = publishesResult ? shared(result) : memory(result);
        long[] is = result;
        long[] due = expected;
        started[step.number()] |= 1L << port.worldRank(mine);
        begin(c, step.blocking(), () -> {
            if (!step.kind().rooted()) checkAllHaveStarted(step, port);
            same(step, is, due);
            if (publishesResult) use(c.recv.memory);
            if (publishesOperand) use(sent);
        });
    }

    /// Checks that all ranks have started a call that is complete on this rank.
    private void checkAllHaveStarted(Step.Call step, CommPort port) {
        for (int r = 0; r < port.size(); r++) {
            boolean has = (started[step.number()] >> port.worldRank(r) & 1) != 0;
            if (!has)
                throw new AssertionError("rank " + me + ": " + step + " completed before rank " + r + " started it");
        }
    }

    // ---- messages

    private void ring(Step.Ring step) {
        CommPort port = port();
        int size = port.size();
        if (size < 2) return;
        int shift = 1 + step.shift() % (size - 1);
        int to = (port.rank() + shift) % size;
        int from = (port.rank() + size - shift) % size;
        long[] result = new long[step.count()];
        Transfer receive = message("irecv", port, Transfer.Kind.RECV, from, step.number(), result);
        begin(receive, false, () -> same(step, result, values(step.number(), from, step.count())));
        long[] data = values(step.number(), port.rank(), step.count());
        Transfer send = message("isend", port, Transfer.Kind.SEND, to, step.number(), data);
        if (step.shared()) send.memory = shared(data);
        send.synchronous = step.synchronous();
        begin(send, false, () -> use(send.memory));
        if (step.blocking()) complete(1);
    }

    private void stream(Step.Stream step) {
        CommPort port = port();
        int size = port.size();
        int from = step.from() % size;
        int to = step.to() % size;
        if (from == to) return;
        for (int m = 0; m < step.messages(); m++) {
            long[] data = values(step.number() + m, from, step.count());
            if (port.rank() == from) {
                Transfer t = message("send", port, Transfer.Kind.SEND, to, step.number(), data);
                t.synchronous = step.synchronous() && m == step.messages() - 1;
                begin(t, true, () -> {});
            } else if (port.rank() == to) {
                long[] result = new long[step.count()];
                Transfer t = message("recv", port, Transfer.Kind.RECV, from, step.number(), result);
                begin(t, true, () -> same(step, result, data));
            }
            scheduler.progress();
        }
    }

    private void gather(Step.Gather step) {
        CommPort port = port();
        int root = step.root() % port.size();
        if (port.rank() != root) {
            Transfer t = message(
                    "send",
                    port,
                    Transfer.Kind.SEND,
                    root,
                    step.number(),
                    values(step.number(), port.rank(), step.count()));
            begin(t, true, () -> {});
            return;
        }
        boolean[] seen = new boolean[port.size()];
        for (int i = 1; i < port.size(); i++) {
            long[] result = new long[step.count()];
            Transfer t = message("recv", port, Transfer.Kind.RECV, Transfer.ANY_SOURCE, step.number(), result);
            if (step.probed()) {
                if (!engine.probe(t, true, true)) throw new AssertionError(step + ": no message was probed");
                t.type = ElementType.LONG;
            }
            begin(t, true, () -> {
                if (seen[t.source]) throw new AssertionError(step + ": two messages from " + t.source);
                seen[t.source] = true;
                same(step, result, values(step.number(), t.source, step.count()));
            });
        }
    }

    private Transfer message(String name, CommPort port, Transfer.Kind kind, int peer, int tag, long[] data) {
        return engine.transfer()
                .fill(name, port, kind, peer, tag, ElementType.LONG)
                .at(memory(data), 0, 8L * data.length);
    }

    // ---- the rest

    private void complete(int how) {
        switch (how) {
            case 0 -> pending.forEach(p -> engine.await(p.activity));
            case 1 -> pending.reversed().forEach(p -> engine.await(p.activity));
            case 2 -> {
                List<Activity> left = new ArrayList<>();
                for (Pending p : pending) left.add(p.activity);
                while (!left.isEmpty()) left.remove(engine.awaitAny(left.toArray(Activity[]::new), left.size()));
            }
            default -> {
                for (Pending p : pending) {
                    int tests = 0;
                    while (!engine.test(p.activity) && tests++ < TESTS) Thread.onSpinWait();
                    engine.await(p.activity);
                }
            }
        }
        for (Pending p : pending) {
            checkSuccess(p.activity);
            p.check.run();
        }
        pending.clear();
    }

    private void make(InterleavedProgram.How how) {
        CommPort port = port();
        ports.push(
                switch (how) {
                    case DUP -> engine.communicators().dup("dup", port);
                    case IDUP -> {
                        Collective dup = engine.communicators().startDup(port);
                        engine.await(dup);
                        checkSuccess(dup);
                        yield engine.communicators().finishDup(dup);
                    }
                    case SPLIT -> engine.communicators().split(port, port.rank() % 2, port.rank());
                });
    }

    private void cancel(Step.Cancel step) {
        CommPort port = port();
        Transfer t = message("irecv", port, Transfer.Kind.RECV, Transfer.ANY_SOURCE, step.number(), new long[1]);
        engine.start(t);
        engine.cancel(t);
        engine.await(t);
        if (!t.cancelled) throw new AssertionError(step + " was not cancelled");
    }

    private CommPort port() {
        CommPort p = ports.peek();
        if (p == null) throw new IllegalStateException("rank " + me + " has no communicator");
        return p;
    }

    /// Overwrites the buffer, as a program may after the call.
    private static void use(Memory buffer) {
        buffer.segment().fill((byte) -1);
    }

    private Memory shared(long[] data) {
        return shared(memory(data));
    }

    private Memory shared(Memory data) {
        MemorySegment shared = engine.allocator().allocate(data.segment().byteSize());
        shared.copyFrom(data.segment());
        return Memory.of(shared);
    }

    private static Memory memory(long[] data) {
        return Memory.of(MemorySegment.ofArray(data));
    }

    private static long[] values(int number, int rank, int n) {
        long[] all = new long[n];
        Arrays.setAll(all, i -> InterleavedProgram.value(number, rank, i));
        return all;
    }

    private void same(Step step, long[] is, long[] due) {
        if (Arrays.equals(is, due)) return;
        int at = Arrays.mismatch(is, due);
        throw new AssertionError("rank " + me + ": " + step + ": element " + at + " is " + is[at] + ", not " + due[at]);
    }
}
