package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.process.RankProcess;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;
import org.tutti.spi.type.ElementType;

/// `mpirun -n N java … Smoke [part …]`: the requirements on an engine, with any number of ranks. Rank 0 prints
/// `ok` at the end.
final class Smoke {
    static final int TAG = 7;

    final Engine engine;
    final CommPort world;
    final int me;
    final int size;

    private Smoke(Engine engine) {
        this.engine = engine;
        world = engine.communicators().world();
        me = world.rank();
        size = world.size();
    }

    public static void main(String[] args) throws Exception {
        RankEnvironment environment = RankEnvironment.current();
        RankProcess.begin(environment);
        Smoke smoke = new Smoke(new LibmpiProvider().open(environment));
        List<String> parts = args.length > 0
                ? List.of(args)
                : List.of("messages", "modes", "objects", "collectives", "exchanges", "life");
        for (String part : parts) smoke.run(part);
        smoke.barrier();
        if (smoke.me == 0) System.out.println("ok " + smoke.engine.info().description());
        smoke.engine.job().leave();
        Objects.requireNonNull(RankProcess.current()).left();
    }

    private void run(String part) throws Exception {
        switch (part) {
            case "messages" -> messages();
            case "objects" -> objects();
            case "collectives" -> new SmokeCollectives(this).run();
            case "modes" -> new SmokeModes(this).run();
            case "exchanges" -> new SmokeExchanges(this).run();
            case "many-throwers" -> new SmokeExchanges(this).thrower();
            case "life" -> life();
            case "thrower" -> new SmokeCollectives(this).thrower();
            case "storm" -> storm();
            case "large" -> large();
            case "idle" -> idle();
            case "idle-thread" -> idleInThread();
            case "late" -> late();
            case "exit-0", "exit-3" -> exit(part.charAt(5) - '0');
            case "throw" -> fail();
            default -> throw new IllegalArgumentException(part);
        }
    }

    private void messages() throws Exception {
        int right = (me + 1) % size, left = (me + size - 1) % size;
        for (boolean heap : new boolean[] {true, false}) {
            for (int n : new int[] {0, 1, 1000, 300_000}) ring(heap, n, left, right);
        }
        truncation(left, right);
        nullProcess();
        probe(left, right);
        cancel();
        virtualThreads(left, right);
        check("tagUpperBound", engine.info().tagUpperBound() >= 32767);
        check("processorName", !engine.info().processorName().isEmpty());
        MemorySegment given = engine.allocator().allocate(100);
        check("alignment", given.address() % 64 == 0 && given.get(JAVA_BYTE, 99) == 0);
        Thread.currentThread().interrupt();
        barrier();
        run(receive(Memory.NONE, 0, Transfer.PROC_NULL, 0));
        check("interrupt kept", Thread.interrupted());
    }

    private void ring(boolean heap, int n, int left, int right) {
        Memory out = memory(heap, n * 4L + 8), in = memory(heap, n * 4L + 24);
        for (int i = 0; i < n; i++) out.segment().set(JAVA_INT_UNALIGNED, 8 + 4L * i, me * 1_000_000 + i);
        in.segment().fill((byte) 0x55);
        Transfer r = receive(in, 4, left, TAG, n * 4L + 8, ElementType.INT);
        Transfer s = send(out, 8, right, TAG, n * 4L, ElementType.INT);
        engine.start(r);
        engine.start(s);
        await(s);
        await(r);
        checkRing(in, n, left, r);
        // the same exchange with blocking calls; even ranks send first
        in.segment().fill((byte) 0x55);
        if (me % 2 == 0 && size > 1) {
            run(s);
            run(r);
        } else if (size > 1) {
            run(r);
            run(s);
        } else {
            engine.start(r);
            run(s);
            await(r);
        }
        checkRing(in, n, left, r);
        r.peer = Transfer.ANY_SOURCE;
        r.tag = Transfer.ANY_TAG;
        engine.start(r);
        run(s);
        await(r);
        checkRing(in, n, left, r);
        barrier();
    }

    private void checkRing(Memory in, int n, int left, Transfer r) {
        check("source", r.source == left && r.receivedTag == TAG && r.receivedBytes == 4L * n);
        for (int i = 0; i < n; i++) {
            check("element", in.segment().get(JAVA_INT_UNALIGNED, 4 + 4L * i) == left * 1_000_000 + i);
        }
        check("before", in.segment().get(JAVA_BYTE, 3) == 0x55);
        check("after", in.segment().get(JAVA_BYTE, 4 + 4L * n) == 0x55);
    }

    private void truncation(int left, int right) {
        for (int n : new int[] {100, 100_000}) {
            Memory out = memory(true, n * 8L), in = memory(true, 80);
            Transfer s = send(out, 0, right, TAG, n * 8L, ElementType.DOUBLE);
            Transfer r = receive(in, 0, left, TAG, 80, ElementType.DOUBLE);
            engine.start(s);
            engine.run(r);
            Fault e = failure(r);
            check(
                    "class " + e,
                    e.errorClass() == PredefinedErrorClass.ERR_TRUNCATE && e.scope() == Fault.Scope.MESSAGE);
            String text = e.getMessage();
            String end = "from rank " + left + ", tag 7, does not fit into 80 bytes (" + world + ")";
            check(text, text.startsWith("recv: message") && text.endsWith(end));
            await(s);
            barrier();
        }
    }

    private void nullProcess() {
        run(send(Memory.NONE, 0, Transfer.PROC_NULL, TAG, 0, ElementType.BYTE));
        Transfer r = receive(Memory.NONE, 0, Transfer.PROC_NULL, TAG);
        run(r);
        check(
                "null process",
                r.source == Transfer.PROC_NULL && r.receivedTag == Transfer.ANY_TAG && r.receivedBytes == 0);
    }

    private void probe(int left, int right) {
        Transfer s = send(memory(true, 24), 0, right, 3, 24, ElementType.LONG);
        engine.start(s);
        Transfer r = receive(memory(true, 24), 24, Transfer.ANY_SOURCE, Transfer.ANY_TAG);
        r.type = ElementType.LONG;
        check("probe", engine.probe(r, true, false));
        check("probed", r.source == left && r.receivedTag == 3 && r.receivedBytes == 24);
        run(r);
        await(s);
        barrier();
        check("nothing", !engine.probe(receive(Memory.NONE, 0, Transfer.ANY_SOURCE, 9), false, false));
    }

    private void cancel() {
        for (Kind kind : new Kind[] {Kind.RECV, Kind.RECV_ALLOCATE}) {
            Transfer r = receive(memory(false, 8), 8, Transfer.ANY_SOURCE, 12345);
            r.kind = kind;
            engine.start(r);
            check("not yet", !engine.test(r));
            engine.cancel(r);
            check("cancelled", r.isDone() && r.cancelled && r.failure() == null);
        }
    }

    private void virtualThreads(int left, int right) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 20; i++) {
            int tag = 100 + i;
            Runnable body = () -> {
                Memory in = memory(true, 8);
                if (tag % 2 == 0) run(send(memory(true, 8), 0, right, tag, 8, ElementType.BYTE));
                run(receive(in, 8, left, tag));
                if (tag % 2 == 1) run(send(memory(true, 8), 0, right, tag, 8, ElementType.BYTE));
            };
            if (tag % 2 == 1 || size == 1)
                body = () -> { // no library guarantees that a send to the same rank is buffered
                    Transfer r = receive(memory(true, 8), 8, left, tag);
                    engine.start(r);
                    run(send(memory(true, 8), 0, right, tag, 8, ElementType.BYTE));
                    await(r);
                };
            Thread t = i % 3 == 0
                    ? Thread.ofPlatform().unstarted(body)
                    : Thread.ofVirtual().unstarted(body);
            t.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
            t.start();
            threads.add(t);
        }
        Thread barrier = Thread.startVirtualThread(this::barrier);
        for (Thread t : threads) t.join();
        barrier.join();
        check("threads " + failures, failures.isEmpty());
    }

    private void objects() {
        int right = (me + 1) % size, left = (me + size - 1) % size;
        for (boolean heap : new boolean[] {true, false}) {
            for (int n : new int[] {0, 1, 2032, 2033, 5 << 20}) {
                // two receives, started before the sends: messages must stay in order, and no rank may wait for
                // data that the receiver does not fetch
                Transfer[] in = {object(left, heap), object(left, heap)};
                for (Transfer r : in) engine.start(r);
                Memory a = filled(heap, n, 1), b = filled(heap, Math.max(0, n - 1), 2);
                run(send(a, 0, right, TAG, n, ElementType.OBJECT));
                run(send(b, 0, right, TAG, Math.max(0, n - 1), ElementType.OBJECT));
                for (int k = 0; k < 2; k++) {
                    await(in[k]);
                    checkObject(in[k], k == 0 ? n : Math.max(0, n - 1), k + 1, left);
                }
                Transfer s = send(a, 0, right, TAG, n, ElementType.OBJECT);
                engine.start(s);
                Transfer r = object(Transfer.ANY_SOURCE, heap);
                r.tag = Transfer.ANY_TAG;
                run(r);
                checkObject(r, n, 1, left);
                await(s);
                barrier();
            }
        }
        // a receive of an object refuses a typed message
        Transfer s = send(memory(true, 5000), 0, right, TAG, 5000, ElementType.BYTE);
        engine.start(s);
        Transfer r = object(left, true);
        engine.run(r);
        check("stranger", failure(r).errorClass() == PredefinedErrorClass.ERR_TYPE);
        await(s);
        barrier();
        // if an allocator throws, only this message fails
        s = send(memory(true, 5000), 0, right, TAG, 5000, ElementType.OBJECT);
        engine.start(s);
        r.allocator = bytes -> {
            throw new OutOfMemoryError("on purpose, " + bytes);
        };
        engine.run(r);
        check("refusal", r.failure() instanceof OutOfMemoryError);
        await(s);
        barrier();
    }

    private Transfer object(int source, boolean heap) {
        Transfer r = engine.transfer().fill("recvObject", world, Kind.RECV_ALLOCATE, source, TAG, ElementType.OBJECT);
        r.allocator = bytes -> memory(heap, bytes).segment();
        return r;
    }

    private void checkObject(Transfer r, int n, int seed, int source) {
        check("object", r.receivedBytes == n && r.source == source && r.receivedTag == TAG);
        MemorySegment bytes = r.memory.segment();
        for (int i = 0; i < n; i += 61) check("byte", bytes.get(JAVA_BYTE, r.offsetBytes + i) == (byte) (i * seed));
    }

    private Memory filled(boolean heap, int n, int seed) {
        Memory m = memory(heap, n);
        for (int i = 0; i < n; i++) m.segment().set(JAVA_BYTE, i, (byte) (i * seed));
        return m;
    }

    private void life() {
        CommPort half = engine.communicators().split(world, me % 2, -me);
        check("size", Objects.requireNonNull(half).size() == (size + 1 - me % 2) / 2);
        check("rank", half.rank() == half.size() - 1 - me / 2);
        CommPort again = engine.communicators().dup("dup", half);
        check("dup", again.size() == half.size() && again.rank() == half.rank());
        CommPort none = engine.communicators().split(world, me == 0 ? -1 : 1, 0);
        check("color", (none == null) == (me == 0));
        // the same tag in two communicators
        Transfer r = receive(memory(true, 1), 1, world.rank(), TAG);
        engine.start(r);
        Transfer t = engine.transfer().fill("send", again, Kind.SEND, again.rank(), TAG, ElementType.BYTE);
        engine.start(t.at(memory(true, 1), 0, 1));
        check("contexts", !engine.test(r));
        Transfer u = engine.transfer().fill("recv", again, Kind.RECV, again.rank(), TAG, ElementType.BYTE);
        run(u.at(memory(true, 1), 0, 1));
        await(t);
        engine.cancel(r);
        engine.communicators().free(again);
        engine.communicators().free(half);
        check("self", engine.communicators().self().size() == 1);
    }

    /// Checks that HotSpot's signal handlers have survived the library.
    private void storm() {
        int caught = 0;
        String[] names = {"a", null};
        for (int i = 0; i < 100_000; i++) {
            try {
                caught -= names[i & 1].length();
            } catch (NullPointerException e) {
                caught += 2;
            }
        }
        for (int i = 0; i < 50; i++) {
            try {
                deeper(i);
            } catch (StackOverflowError e) {
                caught++;
            }
        }
        for (int i = 0; i < 1000; i++) {
            try {
                caught += 1 / (i & 1);
            } catch (ArithmeticException e) {
                caught--;
            }
        }
        check("storm " + caught, caught == 50_050);
        System.gc();
    }

    private int deeper(int i) {
        return i < 0 ? i : i + deeper((i + 1) & Integer.MAX_VALUE);
    }

    /// Uses more bytes, and more elements, than an int can count.
    private void large() {
        long n = (3L << 30) + 5;
        MemorySegment m = engine.allocator().allocate(n);
        if (me == 0) {
            m.set(JAVA_BYTE, 0, (byte) 1);
            m.set(JAVA_BYTE, n - 1, (byte) 2);
            run(send(new Memory.Native(m), 0, 1, TAG, n, ElementType.BYTE));
        } else if (me == 1) {
            Transfer r = receive(new Memory.Native(m), n, 0, TAG);
            run(r);
            check("large " + r.receivedBytes, r.receivedBytes == n);
            check("ends", m.get(JAVA_BYTE, 0) == 1 && m.get(JAVA_BYTE, n - 1) == 2);
            m.fill((byte) 0);
        }
        new SmokeCollectives(this).large(m, n);
        new SmokeExchanges(this).large(m, n);
    }

    /// Rank 0 is delayed; the other ranks print the processor time that they use while they wait.
    private void idle() throws InterruptedException {
        barrier();
        long before = cpuNanos(), begin = System.nanoTime();
        if (me == 0) Thread.sleep(10_000);
        if (me == 0) {
            for (int r = 1; r < size; r++) run(send(memory(false, 8), 0, r, TAG, 8, ElementType.BYTE));
        } else {
            run(receive(memory(false, 8), 8, 0, TAG));
            double share = (cpuNanos() - before) / (double) (System.nanoTime() - begin);
            System.out.println(String.format("idle rank %d used %.1f %% of a core", me, 100 * share));
        }
    }

    /// The first thread waits for a message from a second thread, which calls the engine for the first time
    /// during this wait.
    private void late() throws Exception {
        for (int distance = 0; distance < 2; distance++) {
            int source = (me + size - distance) % size, target = (me + distance) % size;
            FutureTask<String> sender = new FutureTask<>(() -> {
                Thread.sleep(20);
                run(send(memory(false, 8), 0, target, TAG, 8, ElementType.BYTE));
                return "sent";
            });
            Thread.ofPlatform().start(sender);
            run(receive(memory(false, 8), 8, source, TAG));
            sender.get();
        }
    }

    private void idleInThread() throws Exception {
        FutureTask<String> task = new FutureTask<>(() -> {
            idle();
            return "ended";
        });
        Thread.ofPlatform().start(task);
        task.get();
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private void exit(int code) {
        if (me == size - 1) System.exit(code);
        run(receive(memory(false, 8), 8, size - 1, TAG));
    }

    private void fail() {
        if (me == size - 1) throw new IllegalStateException("on purpose");
        run(receive(memory(false, 8), 8, size - 1, TAG));
    }

    void barrier() {
        run(engine.collective().fill("barrier", world, org.tutti.spi.Collective.Kind.BARRIER, 0));
    }

    void run(Activity a) {
        engine.run(a);
        good(a);
    }

    void await(Activity a) {
        engine.await(a);
        good(a);
    }

    private void good(Activity a) {
        check(a.operation + " done", a.isDone());
        if (a.failure() != null) throw new AssertionError(me + ": " + a.operation, a.failure());
    }

    private Fault failure(Activity a) {
        if (a.failure() instanceof Fault e) return e;
        throw new AssertionError("no failure but " + a.failure(), a.failure());
    }

    private Transfer send(Memory from, long offset, int dest, int tag, long bytes, ElementType type) {
        return engine.transfer().fill("send", world, Kind.SEND, dest, tag, type).at(from, offset, bytes);
    }

    private Transfer receive(Memory into, long offset, int source, int tag, long bytes, ElementType type) {
        return engine.transfer()
                .fill("recv", world, Kind.RECV, source, tag, type)
                .at(into, offset, bytes);
    }

    private Transfer receive(Memory into, long bytes, int source, int tag) {
        return receive(into, 0, source, tag, bytes, ElementType.BYTE);
    }

    Memory memory(boolean heap, long bytes) {
        return heap
                ? Memory.of(MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]))
                : Memory.of(java.lang.foreign.Arena.ofAuto()
                        .allocate(Math.max(bytes, 1), 8)
                        .asSlice(0, bytes));
    }

    void check(String what, boolean holds) {
        if (!holds) throw new AssertionError(what + " (" + world + ")");
    }

    static double element(MemorySegment m, long i) {
        return m.get(JAVA_DOUBLE_UNALIGNED, 8 * i);
    }
}
