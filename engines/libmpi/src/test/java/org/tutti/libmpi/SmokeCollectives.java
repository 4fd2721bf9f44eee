package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// Compares the collective calls with plain loops.
final class SmokeCollectives {
    private static final List<ElementType> TYPES = List.of(
            ElementType.BYTE,
            ElementType.BOOLEAN,
            ElementType.CHAR,
            ElementType.SHORT,
            ElementType.INT,
            ElementType.LONG,
            ElementType.FLOAT,
            ElementType.DOUBLE);

    private final Smoke smoke;
    private final int me;
    private final int size;

    SmokeCollectives(Smoke smoke) {
        this.smoke = smoke;
        me = smoke.me;
        size = smoke.size;
    }

    void run() {
        smoke.barrier();
        for (boolean start : new boolean[] {false, true}) {
            for (boolean heap : new boolean[] {false, true}) {
                for (int n : new int[] {0, 1, 7, 300_000}) {
                    for (int root = 0; root < size; root += Math.max(1, size - 1)) {
                        bcast(start, heap, n, root);
                        gather(start, heap, n, root, false);
                        gather(start, heap, n, root, true);
                    }
                    reduce(start, heap, n);
                }
            }
        }
        predefined();
    }

    private Collective call(String operation, Kind kind, int root) {
        return smoke.engine.collective().fill(operation, smoke.world, kind, root);
    }

    private void go(Collective c, boolean start) {
        if (!start) {
            smoke.run(c);
            return;
        }
        smoke.engine.start(c);
        smoke.await(c);
    }

    private void bcast(boolean start, boolean heap, int n, int root) {
        Collective c = call("bcast", Kind.BCAST, root);
        c.recv.memory = ints(heap, n, me == root ? 5 : 0);
        c.send.count = n;
        c.send.type = ElementType.INT;
        go(c, start);
        for (int i = 0; i < n; i++) smoke.check("bcast", at(c.recv.memory, i) == 5 * (i + 1));
    }

    private void gather(boolean start, boolean heap, int n, int root, boolean inPlace) {
        for (boolean all : new boolean[] {false, true}) {
            boolean receives = all || me == root;
            Collective c = call(all ? "allgather" : "gather", all ? Kind.ALLGATHER : Kind.GATHER, root);
            c.inPlace = inPlace && receives;
            c.send.memory = c.inPlace ? Memory.NONE : ints(heap, n, me + 1);
            c.recv.memory = receives ? ints(heap, n * size, 0) : Memory.NONE;
            c.send.count = n;
            c.recv.count = n;
            c.send.type = ElementType.INT;
            c.recv.type = ElementType.INT;
            if (c.inPlace) for (int i = 0; i < n; i++) set(c.recv.memory, n * me + i, (me + 1) * (i + 1));
            go(c, start);
            for (int i = 0; receives && i < n * size; i++) {
                smoke.check("gather", at(c.recv.memory, i) == (i / n + 1) * (i % n + 1));
            }
            // uneven blocks, from the last rank to the first, each followed by a gap of one
            long[] counts = new long[size], places = new long[size];
            int total = 0;
            for (int r = size - 1; r >= 0; r--) {
                counts[r] = r % 3 == 1 ? 0 : n % 1000 + r;
                places[r] = total;
                total += (int) counts[r] + 1;
            }
            c.recv.blocks = receives ? new Collective.BlockLayout(counts, places) : null;
            c.send.count = counts[me];
            c.recv.count = 0;
            c.send.memory = c.inPlace ? Memory.NONE : ints(heap, (int) counts[me], me + 1);
            c.recv.memory = receives ? ints(heap, total, 0) : Memory.NONE;
            for (int i = 0; receives && i < total; i++) set(c.recv.memory, i, -1);
            if (c.inPlace)
                for (int i = 0; i < counts[me]; i++) set(c.recv.memory, (int) places[me] + i, (me + 1) * (i + 1));
            go(c, start);
            for (int r = 0; receives && r < size; r++) {
                for (int i = 0; i < counts[r]; i++) {
                    smoke.check("gatherv", at(c.recv.memory, (int) places[r] + i) == (r + 1) * (i + 1));
                }
                smoke.check("gap", at(c.recv.memory, (int) (places[r] + counts[r])) == -1);
            }
        }
    }

    private void reduce(boolean start, boolean heap, int n) {
        // noncommutative: operands must be combined in rank order
        Reduction last = UserReductions.ofInt("second", (a, b) -> b),
                hypot = UserReductions.commutative("sum", Integer::sum);
        for (Reduction op : new Reduction[] {PredefinedReduction.SUM, PredefinedReduction.MAX, hypot, last}) {
            for (boolean inPlace : new boolean[] {false, true}) {
                for (int root = -1; root < size; root += size) {
                    boolean all = root < 0;
                    boolean receives = all || me == root;
                    Collective c = call(all ? "allreduce" : "reduce", all ? Kind.ALLREDUCE : Kind.REDUCE, root);
                    c.inPlace = inPlace && receives;
                    c.send.memory = c.inPlace ? Memory.NONE : ints(heap, n, me + 1);
                    c.recv.memory = c.inPlace ? ints(heap, n, me + 1) : receives ? ints(heap, n, 0) : Memory.NONE;
                    c.send.count = n;
                    c.send.type = ElementType.INT;
                    c.op = op;
                    go(c, start);
                    int sum = size * (size + 1) / 2;
                    for (int i = 0; receives && i < n; i++) {
                        int expected = (op == PredefinedReduction.SUM || op == hypot ? sum : size) * (i + 1);
                        smoke.check(op.name() + " " + at(c.recv.memory, i), at(c.recv.memory, i) == expected);
                    }
                }
            }
        }
    }

    /// Compares every operation on every type with its definition in Java.
    private void predefined() {
        int n = 16;
        for (PredefinedReduction op : PredefinedReduction.values()) {
            for (ElementType type : TYPES) {
                if (!op.supports(type)) continue;
                Collective c = call("allreduce", Kind.ALLREDUCE, 0);
                c.send.memory = operands(type, n, me);
                c.recv.memory = smoke.memory(false, (long) n * type.bytes());
                c.send.count = n;
                c.send.type = type;
                c.op = op;
                smoke.run(c);
                MemorySegment expected = operands(type, n, 0).segment();
                for (int r = 1; r < size; r++) {
                    MemorySegment next = operands(type, n, r).segment();
                    op.apply(type, expected, 0, next, 0, n);
                    expected = next;
                }
                if (size == 1
                        && (op == PredefinedReduction.LAND
                                || op == PredefinedReduction.LOR
                                || op == PredefinedReduction.LXOR)) continue;
                smoke.check(op + " on " + type, expected.mismatch(c.recv.memory.segment()) < 0);
            }
        }
    }

    private Memory operands(ElementType type, int n, int rank) {
        Memory m = smoke.memory(false, (long) n * type.bytes());
        MemorySegment s = m.segment();
        for (int i = 0; i < n; i++) {
            // zeros for the logical operations, and high bits, so that sums wrap and unsigned comparisons
            // differ from signed ones
            int v = (i * 37 + rank * 11 + i * rank) % 5 == 0 ? 0 : (i * 7 + rank * 3) * 0x1F37 - 4;
            // values whose sums need no rounding, because libraries combine in any order
            if (type == ElementType.FLOAT || type == ElementType.DOUBLE) v = v % 8 + 1;
            if (type == ElementType.BOOLEAN) s.set(JAVA_BYTE, i, (byte) (v & 1));
            else if (type == ElementType.BYTE) s.set(JAVA_BYTE, i, (byte) v);
            else if (type == ElementType.CHAR)
                s.set(java.lang.foreign.ValueLayout.JAVA_CHAR_UNALIGNED, 2L * i, (char) v);
            else if (type == ElementType.SHORT)
                s.set(java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) v);
            else if (type == ElementType.INT) s.set(JAVA_INT_UNALIGNED, 4L * i, v);
            else if (type == ElementType.LONG) s.set(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, v);
            else if (type == ElementType.FLOAT) s.set(java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, v);
            else s.set(java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, v);
        }
        return m;
    }

    /// Executes an operation that throws. The communicator has one rank, so that no other rank waits;
    /// afterwards the job has failed for this rank.
    void thrower() {
        Collective c = call("allreduce", Kind.ALLREDUCE, 0);
        c.send.memory = ints(true, 3, 1);
        c.recv.memory = ints(true, 3, 1);
        c.send.count = 3;
        c.send.type = ElementType.INT;
        c.op = UserReductions.ofInt("thrower", (a, b) -> {
            throw new IllegalStateException("on purpose");
        });
        smoke.engine.run(c);
        smoke.check("job", c.failure() instanceof Fault e && e.scope() == Fault.Scope.JOB);
        System.out.println(c.failure().getMessage());
        try {
            smoke.barrier();
            throw new AssertionError("the job continues");
        } catch (Fault again) {
            smoke.check("again", again.getMessage().contains("thrower"));
        }
    }

    void large(MemorySegment m, long n) {
        if (me == 0) m.set(JAVA_BYTE, n - 1, (byte) 9);
        Collective c = call("bcast", Kind.BCAST, 0);
        c.recv.memory = new Memory.Native(m);
        c.send.count = n;
        c.send.type = ElementType.BYTE;
        smoke.run(c);
        smoke.check("bcast", m.get(JAVA_BYTE, n - 1) == 9);
        m.fill((byte) (me + 1));
        c = call("allreduce", Kind.ALLREDUCE, 0);
        c.recv.memory = new Memory.Native(m);
        c.inPlace = true;
        c.send.count = n;
        c.op = PredefinedReduction.SUM;
        smoke.run(c);
        smoke.check(
                "allreduce",
                m.get(JAVA_BYTE, 0) == size * (size + 1) / 2 && m.get(JAVA_BYTE, n - 1) == m.get(JAVA_BYTE, 0));
        // displacements that exceed an int, in whole blocks
        long each = n / size;
        c = call("gather", Kind.GATHER, 0);
        c.inPlace = me == 0;
        c.send.memory =
                me == 0 ? Memory.NONE : new Memory.Native(m.asSlice(0, each).fill((byte) me));
        c.recv.memory = me == 0 ? new Memory.Native(m) : Memory.NONE;
        c.send.count = each;
        c.recv.count = each;
        smoke.run(c);
        for (int r = 1; me == 0 && r < size; r++) smoke.check("gather", m.get(JAVA_BYTE, each * (r + 1) - 1) == r);
    }

    private Memory ints(boolean heap, int n, int factor) {
        Memory m = smoke.memory(heap, 4L * n);
        for (int i = 0; i < n; i++) set(m, i, factor * (i + 1));
        return m;
    }

    private static int at(Memory m, int i) {
        return m.segment().get(JAVA_INT_UNALIGNED, 4L * i);
    }

    private static void set(Memory m, int i, int value) {
        m.segment().set(JAVA_INT_UNALIGNED, 4L * i, value);
    }
}
