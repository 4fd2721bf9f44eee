package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.util.Objects;
import java.util.function.IntPredicate;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.CommPort;
import org.tutti.spi.Engine;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;
import org.tutti.spi.type.ElementType;

/// Synchronous sends, matched probes, waiting for any, messages of a rank to itself, restarted messages,
/// groups.
final class SmokeModes {
    private static final int TAG = 21;
    private static final int[] LENGTHS = {0, 8, 2000, 5000, 300_000};

    private final Smoke smoke;
    private final Engine engine;
    private final int me;
    private final int size;
    private final int left;
    private final int right;

    SmokeModes(Smoke smoke) {
        this.smoke = smoke;
        engine = smoke.engine;
        me = smoke.me;
        size = smoke.size;
        right = (me + 1) % size;
        left = (me + size - 1) % size;
    }

    void run() throws Exception {
        for (boolean heap : new boolean[] {true, false}) {
            for (boolean object : new boolean[] {false, true}) {
                for (int n : LENGTHS) {
                    synchronous(heap, object, n);
                    matched(heap, object, n);
                    again(heap, object, n);
                }
                for (int n : new int[] {0, 8, 1500, 2000}) toSelf(heap, object, n);
            }
        }
        pairs();
        nullProcess();
        tooLong();
        awaitAny();
        fromAVirtualThread();
        groups();
    }

    private Transfer send(Memory m, int dest, int tag, int n, boolean object) {
        ElementType type = object ? ElementType.OBJECT : ElementType.BYTE;
        return engine.transfer()
                .fill("send", smoke.world, Kind.SEND, dest, tag, type)
                .at(m, 0, n);
    }

    private Transfer receive(boolean heap, int source, int tag, int n, boolean object) {
        Transfer t = engine.transfer()
                .fill("recv", smoke.world, Kind.RECV, source, tag, ElementType.BYTE)
                .at(smoke.memory(heap, n), 0, n);
        return object ? asObject(t, heap) : t;
    }

    private Transfer asObject(Transfer t, boolean heap) {
        t.kind = Kind.RECV_ALLOCATE;
        t.type = ElementType.OBJECT;
        t.allocator = bytes -> smoke.memory(heap, bytes).segment();
        return t;
    }

    private Memory filled(boolean heap, int n, int seed) {
        Memory m = smoke.memory(heap, n);
        for (int i = 0; i < n; i++) m.segment().set(JAVA_BYTE, i, (byte) (i * 31 + seed));
        return m;
    }

    private void arrived(Transfer r, int n, int source, int seed) {
        arrived(r, n, source, seed, _ -> true);
    }

    /// @param isData whether the byte at this index of the buffer is data of a message, and not in a gap
    private void arrived(Transfer r, int n, int source, int seed, IntPredicate isData) {
        String what = r.source + " " + r.receivedTag + " " + r.receivedBytes + " for " + source + " " + TAG + " " + n;
        smoke.check(what, r.source == source && r.receivedTag == TAG && r.receivedBytes == n);
        for (int i = 0; i < n; i++) {
            byte b = r.memory.segment().get(JAVA_BYTE, r.offsetBytes + i);
            smoke.check("byte", !isData.test(i) || b == (byte) (i * 31 + seed));
        }
    }

    /// Checks that the send is not complete before the receive has matched.
    private void synchronous(boolean heap, boolean object, int n) throws Exception {
        Transfer s = send(filled(heap, n, me), right, TAG, n, object);
        s.synchronous = true;
        engine.start(s);
        for (int i = 0; i < 20; i++) {
            smoke.check("complete before its receive", !engine.test(s));
            Thread.sleep(0, 100_000);
        }
        smoke.barrier();
        smoke.check("complete before its receive", !engine.test(s));
        smoke.barrier();
        Transfer r = receive(heap, left, TAG, n, object);
        smoke.run(r);
        smoke.await(s);
        arrived(r, n, left, left);
        if (size == 1) return;
        s.synchronous = true;
        if (me % 2 == 0) smoke.run(s);
        r = receive(heap, left, TAG, n, object);
        smoke.run(r);
        if (me % 2 == 1) smoke.run(s);
        arrived(r, n, left, left);
    }

    /// Checks that a message reserved by a probe matches no other receive, and can be received after later
    /// messages.
    private void matched(boolean heap, boolean object, int n) {
        Transfer first = send(filled(heap, n, 1), right, TAG, n, object);
        Transfer second = send(filled(heap, n, 2), right, TAG, n, object);
        engine.start(first);
        engine.start(second);
        Transfer p = engine.transfer()
                .fill("mprobe", smoke.world, Kind.RECV, Transfer.ANY_SOURCE, Transfer.ANY_TAG, ElementType.BYTE);
        smoke.check("found", engine.probe(p, true, true) && p.matched && p.source == left && p.receivedTag == TAG);
        if (!object) smoke.check("length", p.receivedBytes == n);
        Transfer other = receive(heap, left, TAG, n, object);
        smoke.run(other);
        arrived(other, n, left, 2);
        smoke.barrier();
        Transfer none = engine.transfer().fill("improbe", smoke.world, Kind.RECV, left, TAG, ElementType.BYTE);
        smoke.check("taken", !engine.probe(none, false, true) && !none.matched);
        p.at(smoke.memory(heap, n), 0, n);
        if (object) asObject(p, heap);
        engine.start(p);
        engine.cancel(p); // already matched
        smoke.await(p);
        smoke.check("cancelled", !p.cancelled);
        arrived(p, n, left, 1);
        smoke.await(first);
        smoke.await(second);
        smoke.barrier();
    }

    /// Uses the same activities with other data, as persistent requests do, and cancels the receive in between.
    private void again(boolean heap, boolean object, int n) {
        Memory out = smoke.memory(heap, n);
        Transfer s = send(out, right, TAG, n, object);
        Transfer r = receive(heap, left, TAG, n, object);
        for (int turn = 0; turn < 3; turn++) {
            if (turn == 1) {
                engine.start(r);
                engine.cancel(r);
                smoke.check("cancelled", r.cancelled);
                smoke.barrier();
            }
            for (int i = 0; i < n; i++) out.segment().set(JAVA_BYTE, i, (byte) (i * 31 + turn));
            engine.start(r);
            engine.start(s);
            smoke.await(s);
            smoke.await(r);
            smoke.check("not cancelled", !r.cancelled);
            arrived(r, n, left, turn);
        }
        smoke.barrier();
    }

    /// Sends several messages before the first is received.
    private void toSelf(boolean heap, boolean object, int n) {
        for (int k = 0; k < 20; k++) {
            Memory m = filled(heap, n, k);
            smoke.run(send(m, me, TAG, n, object));
            m.segment().fill((byte) 0);
        }
        for (int k = 0; k < 20; k++) {
            Transfer r = receive(heap, me, TAG, n, object);
            smoke.run(r);
            arrived(r, n, me, k);
        }
    }

    /// Checks that a pair with a gap has 12 bytes in a message, as counted by a probe, and 16 in memory.
    private void pairs() {
        for (ElementType type :
                new ElementType[] {ElementType.DOUBLE_INT, ElementType.LONG_INT, ElementType.FLOAT_INT}) {
            int n = 5 * type.bytes();
            Transfer s = send(filled(true, n, 4), right, TAG, n, false);
            s.type = type;
            engine.start(s);
            Transfer r = receive(true, left, TAG, n + type.bytes(), false);
            smoke.check("pairs", engine.probe(r, true, false) && r.receivedBytes == type.withoutGaps(n));
            r.type = type;
            smoke.run(r);
            int each = type.bytes(), data = (int) type.withoutGaps(each);
            arrived(r, n, left, 4, i -> i % each < data);
            smoke.await(s);
        }
    }

    private void nullProcess() {
        Transfer r = receive(true, Transfer.PROC_NULL, TAG, 0, false);
        smoke.check("null process", engine.probe(r, false, true) && r.matched && r.source == Transfer.PROC_NULL);
        smoke.run(r);
        smoke.check("null process", r.source == Transfer.PROC_NULL && r.receivedBytes == 0 && !r.matched);
    }

    /// Receives messages that are too long, also from this rank itself, and also after a matched probe.
    private void tooLong() {
        for (int dest : new int[] {right, me}) {
            for (int n : new int[] {100, 100_000}) {
                for (boolean take : new boolean[] {false, true}) {
                    int source = dest == me ? me : left;
                    Transfer s = send(filled(true, n, 0), dest, TAG, n, false);
                    engine.start(s);
                    Transfer r = receive(true, source, TAG, 10, false);
                    if (take) smoke.check("there", engine.probe(r, true, true));
                    engine.run(r);
                    smoke.check("truncated from " + source + " " + n + " " + take, r.failure() != null);
                    smoke.await(s);
                    smoke.barrier();
                }
            }
        }
    }

    /// Awaits messages, objects and a collective call, in any order.
    private void awaitAny() {
        Collective barrier = engine.collective().fill("ibarrier", smoke.world, Collective.Kind.BARRIER, 0);
        Transfer never = receive(true, left, TAG + 1, 8, false);
        Transfer big = receive(true, left, TAG, 300_000, true), small = receive(true, left, TAG + 2, 8, false);
        Activity[] all = {never, big, barrier, small};
        engine.start(never);
        engine.start(big);
        engine.start(small);
        if (me == 0) engine.start(barrier);
        smoke.run(send(filled(true, 8, 0), right, TAG + 2, 8, false));
        if (size == 1) {
            smoke.check("small", engine.awaitAny(new Activity[] {never, big, small}, 3) == 2);
        }
        Transfer s = send(filled(true, 300_000, 9), right, TAG, 300_000, true);
        engine.start(s);
        if (me != 0) engine.start(barrier);
        int seen = 0;
        int count = all.length;
        while (count > 1) {
            int i = engine.awaitAny(all, count);
            smoke.check("never", all[i] != never);
            smoke.await(all[i]);
            seen++;
            all[i] = all[--count];
        }
        smoke.check("any", seen == 3 && all[0] == never);
        smoke.await(s);
        arrived(big, 300_000, left, 9);
        engine.cancel(never);
    }

    private void fromAVirtualThread() throws Exception {
        Throwable[] failure = new Throwable[1];
        Thread t = Thread.ofVirtual().start(() -> {
            try {
                Transfer s = send(filled(true, 8, 3), right, TAG, 8, false);
                s.synchronous = true;
                engine.start(s);
                Transfer r = receive(true, left, TAG, 8, false);
                smoke.check("found", engine.probe(r, true, true));
                engine.start(r);
                smoke.check("any", engine.awaitAny(new Activity[] {r}, 1) == 0);
                smoke.await(s);
                arrived(r, 8, left, 3);
                CommPort node = engine.communicators().splitShared(smoke.world, 0, 0);
                smoke.check("node", node.size() == size);
                engine.communicators().free(node);
            } catch (Throwable e) {
                failure[0] = e;
            }
        });
        t.join();
        if (failure[0] != null) throw new AssertionError("in a virtual thread", failure[0]);
    }

    private void groups() {
        CommPort node = engine.communicators().splitShared(smoke.world, 0, -me);
        smoke.check("node", node.size() == size && node.rank() == size - 1 - me);
        for (int r = 0; r < size; r++) smoke.check("reversed", node.worldRank(r) == size - 1 - r);
        smoke.check(
                "self",
                engine.communicators().self().worldRank(0) == me && smoke.world.worldRank(size - 1) == size - 1);
        // the odd ranks and the even ranks create a communicator at the same time, each with the ranks in
        // reverse order
        int n = (size + 1 - me % 2) / 2;
        int[] ranks = new int[n];
        for (int k = 0; k < n; k++) ranks[k] = 2 * (n - 1 - k) + me % 2;
        CommPort half = engine.communicators().createGroup(smoke.world, ranks, 5);
        smoke.check("half", half.size() == n && half.worldRank(half.rank()) == me && half.rank() == n - 1 - me / 2);
        // created from a communicator in which processes have different ranks than in the world
        if (half.rank() == 0) {
            CommPort single = engine.communicators().createGroup(half, new int[] {0}, 6);
            smoke.check("single", single.size() == 1 && single.worldRank(0) == me);
            engine.communicators().free(single);
        }
        CommPort third = Objects.requireNonNull(engine.communicators().split(half, 0, 0));
        smoke.check("third", third.worldRank(third.rank()) == me);
        Collective c = engine.collective().fill("barrier", half, Collective.Kind.BARRIER, 0);
        smoke.run(c);
        engine.communicators().free(third);
        engine.communicators().free(half);
        engine.communicators().free(node);
        smoke.barrier();
    }
}
