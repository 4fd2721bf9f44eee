package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tutti.spi.Activity;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.BlockLayout;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Fault;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// Compares scatter, all-to-all, reduce-scatter, scan and exscan with plain loops; also reused calls, and many
/// calls at the same time.
final class SmokeExchanges {
    private static final int GAP = -77;

    private final Smoke smoke;
    private final int me;
    private final int size;

    private boolean start;
    private boolean heap;
    private boolean inPlace;

    SmokeExchanges(Smoke smoke) {
        this.smoke = smoke;
        me = smoke.me;
        size = smoke.size;
    }

    void run() {
        for (int way = 0; way < 8; way++) {
            start = (way & 1) != 0;
            heap = (way & 2) != 0;
            inPlace = (way & 4) != 0;
            for (int n : new int[] {0, 1, 7, 30_000}) {
                for (int root = 0; root < size; root += Math.max(1, size - 1)) {
                    scatter(n, root, false);
                    scatter(n, root, true);
                }
                alltoall(n);
                alltoallv(n);
                for (Reduction op : operations()) {
                    scan(n, op, Kind.SCAN);
                    scan(n, op, Kind.EXSCAN);
                    reduceScatter(n, op, false);
                    reduceScatter(n, op, true);
                }
            }
        }
        again();
        many();
        everyCallAnother();
        complex();
    }

    /// The last three operations are noncommutative: the result depends on the order of operands.
    private static List<Reduction> operations() {
        return List.of(
                PredefinedReduction.SUM,
                PredefinedReduction.MAX,
                UserReductions.commutative("sum", Integer::sum),
                UserReductions.ofInt("second", (a, b) -> b),
                UserReductions.ofInt("first", (a, b) -> a),
                UserReductions.ofInt("affine", SmokeExchanges::affine));
    }

    /// Composition of maps `x -> ax + b`, with a and b in 16 bits each: associative, noncommutative.
    private static int affine(int f, int g) {
        int a = f >>> 16, b = f & 0xffff, c = g >>> 16, d = g & 0xffff;
        return (a * c & 0xffff) << 16 | c * b + d & 0xffff;
    }

    private static int combine(Reduction op, int a, int b) {
        return switch (op.name()) {
            case "SUM", "sum" -> a + b;
            case "MAX" -> Math.max(a, b);
            case "second" -> b;
            case "first" -> a;
            default -> affine(a, b);
        };
    }

    /// Element i of rank r's operand.
    private static int operand(int r, int i) {
        return (r + 3) * 0x10003 + i * 0x20005 + r * i;
    }

    private static int reduced(Reduction op, int ranks, int i) {
        int x = operand(0, i);
        for (int r = 1; r < ranks; r++) x = combine(op, x, operand(r, i));
        return x;
    }

    private Collective call(String operation, Kind kind, int root) {
        Collective c = smoke.engine.collective().fill(operation, smoke.world, kind, root);
        c.send.type = ElementType.INT;
        c.recv.type = ElementType.INT;
        return c;
    }

    private void go(Collective c) {
        if (!start) {
            smoke.run(c);
            return;
        }
        smoke.engine.start(c);
        smoke.await(c);
    }

    private void scatter(int n, int root, boolean uneven) {
        boolean amRoot = me == root;
        Collective c = call("scatter", Kind.SCATTER, root);
        c.inPlace = inPlace && amRoot;
        BlockLayout blocks = uneven ? uneven(n, 1) : even(n);
        c.send.blocks = amRoot && uneven ? blocks : null;
        c.send.count = amRoot && !uneven ? n : 0;
        c.recv.count = blocks.count(me);
        c.send.memory = amRoot ? gaps(length(blocks)) : Memory.NONE;
        for (int r = 0; amRoot && r < size; r++) {
            for (int i = 0; i < blocks.count(r); i++) set(c.send.memory, blocks.displacement(r) + i, operand(r, i));
        }
        c.recv.memory = c.inPlace ? Memory.NONE : gaps(blocks.count(me) + 1);
        go(c);
        for (int i = 0; !c.inPlace && i < blocks.count(me); i++)
            smoke.check("scatter", at(c.recv.memory, i) == operand(me, i));
        if (!c.inPlace) smoke.check("after", at(c.recv.memory, blocks.count(me)) == GAP);
    }

    private void alltoall(int n) {
        Collective c = call("alltoall", Kind.ALLTOALL, 0);
        c.inPlace = inPlace;
        c.send.count = inPlace ? 0 : n;
        c.recv.count = n;
        c.recv.memory = gaps((long) n * size + 1);
        c.send.memory = inPlace ? Memory.NONE : gaps((long) n * size);
        Memory from = inPlace ? c.recv.memory : c.send.memory;
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < n; i++) set(from, (long) r * n + i, operand(me * size + r, i));
        }
        go(c);
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < n; i++) {
                smoke.check("alltoall", at(c.recv.memory, (long) r * n + i) == operand(r * size + me, i));
            }
        }
        smoke.check("after", at(c.recv.memory, (long) n * size) == GAP);
    }

    /// Rank a sends `pair(a, b)` elements to b; in place, two ranks send each other the same number of
    /// elements.
    private void alltoallv(int n) {
        Collective c = call("alltoall", Kind.ALLTOALL, 0);
        c.inPlace = inPlace;
        long[] outgoing = new long[size], incoming = new long[size];
        for (int r = 0; r < size; r++) {
            outgoing[r] = pair(me, r, n);
            incoming[r] = inPlace ? outgoing[r] : pair(r, me, n);
        }
        BlockLayout sent = placed(outgoing, 1), received = placed(incoming, 2);
        c.send.blocks = inPlace ? null : sent;
        c.recv.blocks = received;
        c.send.memory = inPlace ? Memory.NONE : gaps(length(sent));
        c.recv.memory = gaps(length(received));
        Memory from = inPlace ? c.recv.memory : c.send.memory;
        for (int r = 0; r < size; r++) {
            long place = (inPlace ? received : sent).displacement(r);
            for (int i = 0; i < outgoing[r]; i++) set(from, place + i, operand(me * size + r, i));
        }
        go(c);
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < incoming[r]; i++) {
                int value = at(c.recv.memory, received.displacement(r) + i);
                smoke.check("alltoallv from " + r + " " + value, value == operand(r * size + me, i));
            }
            for (int g = 0; g < 2; g++) {
                smoke.check("gap", at(c.recv.memory, received.displacement(r) + incoming[r] + g) == GAP);
            }
        }
    }

    private long pair(int a, int b, int n) {
        if (n == 0) return 0;
        return inPlace ? n % 1000 + a + b : (a + 2 * b) % 3 == 1 ? 0 : n % 1000 + a + 3 * b;
    }

    private void scan(int n, Reduction op, Kind kind) {
        boolean all = kind == Kind.SCAN;
        Collective c = call(all ? "scan" : "exscan", kind, 0);
        c.inPlace = inPlace;
        c.send.count = n;
        c.op = op;
        c.recv.memory = gaps(n + 1L);
        c.send.memory = inPlace ? Memory.NONE : gaps(n);
        for (int i = 0; i < n; i++) set(inPlace ? c.recv.memory : c.send.memory, i, operand(me, i));
        go(c);
        for (int i = 0; i < n; i++) {
            int ranks = all ? me + 1 : me;
            int expected = ranks > 0 ? reduced(op, ranks, i) : inPlace ? operand(me, i) : GAP;
            int value = at(c.recv.memory, i);
            smoke.check(c.operation + " " + op.name() + " " + i + ": " + value + " for " + expected, value == expected);
        }
        smoke.check("after", at(c.recv.memory, n) == GAP);
    }

    private void reduceScatter(int n, Reduction op, boolean uneven) {
        BlockLayout blocks = uneven ? uneven(n, 0) : even(n);
        Collective c = call("reduceScatter", Kind.REDUCE_SCATTER, 0);
        c.inPlace = inPlace;
        c.op = op;
        long total = 0;
        for (long count : blocks.counts()) total += count;
        c.send.count = total;
        c.recv.count = uneven ? 0 : n;
        c.recv.blocks = uneven ? blocks : null;
        long own = blocks.count(me);
        c.recv.memory = gaps(inPlace ? length(blocks) : own + 1);
        c.send.memory = inPlace ? Memory.NONE : gaps(length(blocks));
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < blocks.count(r); i++) {
                set(inPlace ? c.recv.memory : c.send.memory, blocks.displacement(r) + i, operand(me, 1000 * r + i));
            }
        }
        go(c);
        for (int i = 0; i < own; i++) {
            int expected = reduced(op, size, 1000 * me + i);
            int value = at(c.recv.memory, i);
            smoke.check("reduceScatter " + op.name() + ": " + value + " for " + expected, value == expected);
        }
        if (!inPlace) smoke.check("after", at(c.recv.memory, own) == GAP);
    }

    /// Uses the same activity with other data, as a persistent operation does.
    private void again() {
        for (Kind kind : new Kind[] {Kind.ALLTOALL, Kind.SCAN, Kind.REDUCE_SCATTER, Kind.ALLREDUCE}) {
            for (int way = 0; way < 2; way++) {
                heap = way == 0;
                int n = 5, all = n * size;
                Collective c = call(kind.name(), kind, 0);
                c.send.memory = gaps(all);
                c.recv.memory = gaps(all);
                c.send.count = kind == Kind.ALLTOALL ? n : all;
                c.recv.count = n;
                c.op = PredefinedReduction.SUM;
                for (int turn = 0; turn < 4; turn++) {
                    for (int i = 0; i < all; i++) set(c.send.memory, i, (me + 1) * (i + turn));
                    smoke.engine.start(c);
                    smoke.await(c);
                    int last = n - 1;
                    int expected = switch (kind) {
                        case SCAN -> (me + 1) * (me + 2) / 2 * (last + turn);
                        case ALLREDUCE -> size * (size + 1) / 2 * (last + turn);
                        case REDUCE_SCATTER -> size * (size + 1) / 2 * (n * me + last + turn);
                        default -> n * me + last + turn; // from rank 0
                    };
                    smoke.check("again " + kind, at(c.recv.memory, last) == expected);
                }
            }
        }
    }

    /// Awaits fifty active calls in order of completion, then some with operations that throw.
    private void many() {
        heap = true;
        Activity[] calls = new Activity[50];
        Reduction op = UserReductions.ofInt("sum", Integer::sum);
        for (int k = 0; k < calls.length; k++) {
            Collective c = call("iallreduce", k % 2 == 0 ? Kind.ALLREDUCE : Kind.SCAN, 0);
            c.send.count = 100;
            c.op = k % 3 == 0 ? PredefinedReduction.MAX : op;
            c.send.memory = gaps(100);
            c.recv.memory = gaps(100);
            for (int i = 0; i < 100; i++) set(c.send.memory, i, me + k);
            smoke.engine.start(c);
            calls[k] = c;
        }
        List<Activity> left = new ArrayList<>(List.of(calls));
        while (!left.isEmpty()) {
            Activity[] some = left.toArray(new Activity[0]);
            Activity done = some[smoke.engine.awaitAny(some, some.length)];
            smoke.await(done);
            left.remove(done);
        }
        for (int k = 0; k < calls.length; k++) {
            Collective c = (Collective) calls[k];
            int ranks = c.kind == Kind.ALLREDUCE ? size : me + 1;
            int expected = c.op == PredefinedReduction.MAX ? ranks - 1 + k : ranks * (ranks - 1) / 2 + ranks * k;
            smoke.check("many", at(c.recv.memory, 99) == expected);
        }
    }

    /// Uses more operations than are retained, a new one for every call.
    private void everyCallAnother() {
        for (int k = 0; k < 300; k++) {
            int twist = k;
            Collective c = call("allreduce", Kind.ALLREDUCE, 0);
            c.send.count = 1;
            c.op = UserReductions.commutative("twist", (a, b) -> a + b + twist);
            c.send.memory = gaps(1);
            set(c.send.memory, 0, me);
            c.recv.memory = gaps(1);
            smoke.run(c);
            smoke.check("twist", at(c.recv.memory, 0) == size * (size - 1) / 2 + (size - 1) * k);
        }
    }

    /// While other calls are active, only the call whose operation threw reports it.
    void thrower() {
        heap = true;
        Reduction[] ops = {
            UserReductions.ofInt("good", Integer::sum),
            UserReductions.ofInt("bad", (a, b) -> {
                if (a == 13) throw new IllegalStateException("on purpose");
                return a + b;
            })
        };
        Collective[] calls = new Collective[4];
        for (int k = 0; k < calls.length; k++) {
            Collective c = call("call " + k, Kind.ALLREDUCE, 0);
            c.send.count = 10;
            c.op = ops[k / 2]; // the last two share one operation
            c.send.memory = gaps(10);
            for (int i = 0; i < 10; i++) set(c.send.memory, i, k == 3 ? 13 : 1);
            c.recv.memory = gaps(10);
            smoke.engine.start(c);
            calls[k] = c;
        }
        // awaits the failing call last, because the first failure ends the job for this rank
        for (int k = 0; k < 3; k++) smoke.await(calls[k]);
        smoke.engine.await(calls[3]);
        smoke.check(
                "failed",
                calls[3].failure() instanceof Fault e
                        && e.getMessage()
                                .startsWith("call 3: operation bad threw java.lang.IllegalStateException: on purpose"));
        System.out.println("threw where it should");
    }

    private void complex() {
        for (Reduction op : new Reduction[] {PredefinedReduction.SUM, PredefinedReduction.PROD}) {
            for (ElementType type : new ElementType[] {ElementType.DOUBLE_COMPLEX, ElementType.FLOAT_COMPLEX}) {
                boolean wide = type == ElementType.DOUBLE_COMPLEX;
                int n = 9;
                for (Kind kind : new Kind[] {Kind.ALLREDUCE, Kind.SCAN, Kind.REDUCE_SCATTER}) {
                    Collective c = call("complex", kind, 0);
                    c.send.type = type;
                    c.recv.type = type;
                    boolean parts = kind == Kind.REDUCE_SCATTER;
                    c.send.count = parts ? (long) n * size : n;
                    c.recv.count = n;
                    c.op = op;
                    c.send.memory = smoke.memory(true, c.send.count * type.bytes());
                    c.recv.memory = smoke.memory(true, (long) n * type.bytes());
                    for (int i = 0; i < c.send.count; i++) {
                        real(c.send.memory, wide, 2L * i, me + 1 + i % 3);
                        real(c.send.memory, wide, 2L * i + 1, 2 - me % 2 + i % 2);
                    }
                    smoke.run(c);
                    for (int i = 0; i < n; i++) {
                        int at = parts ? n * me + i : i;
                        double re = op == PredefinedReduction.SUM ? 0 : 1, im = 0;
                        for (int r = 0; r < (kind == Kind.SCAN ? me + 1 : size); r++) {
                            double x = r + 1 + at % 3, y = 2 - r % 2 + at % 2;
                            double next = op == PredefinedReduction.SUM ? re + x : re * x - im * y;
                            im = op == PredefinedReduction.SUM ? im + y : re * y + im * x;
                            re = next;
                        }
                        boolean same =
                                real(c.recv.memory, wide, 2L * i) == re && real(c.recv.memory, wide, 2L * i + 1) == im;
                        smoke.check(op + " of " + type, same);
                    }
                }
            }
        }
    }

    private static void real(Memory m, boolean wide, long i, double value) {
        if (wide) m.segment().set(JAVA_DOUBLE_UNALIGNED, 8 * i, value);
        else m.segment().set(JAVA_FLOAT_UNALIGNED, 4 * i, (float) value);
    }

    private static double real(Memory m, boolean wide, long i) {
        return wide
                ? m.segment().get(JAVA_DOUBLE_UNALIGNED, 8 * i)
                : m.segment().get(JAVA_FLOAT_UNALIGNED, 4 * i);
    }

    private BlockLayout even(int n) {
        long[] counts = new long[size];
        java.util.Arrays.fill(counts, n);
        long[] places = new long[size];
        for (int r = 0; r < size; r++) places[r] = (long) n * r;
        return new BlockLayout(counts, places);
    }

    private BlockLayout uneven(int n, int gap) {
        long[] counts = new long[size];
        for (int r = 0; r < size; r++) counts[r] = n == 0 || r % 3 == 1 ? 0 : n % 1000 + r;
        return placed(counts, gap);
    }

    /// Returns the layout of consecutive blocks; if there is a gap, the blocks are stored from the last rank to
    /// the first.
    private BlockLayout placed(long[] counts, int gap) {
        long[] places = new long[size];
        long total = 0;
        for (int k = 0; k < size; k++) {
            int r = gap > 0 ? size - 1 - k : k;
            places[r] = total + gap;
            total += counts[r] + gap;
        }
        return new BlockLayout(counts, places);
    }

    private long length(BlockLayout blocks) {
        long length = 0;
        for (int r = 0; r < size; r++) length = Math.max(length, blocks.displacement(r) + blocks.count(r) + 2);
        return length;
    }

    private Memory gaps(long n) {
        Memory m = smoke.memory(heap, 4 * n);
        for (int i = 0; i < n; i++) set(m, i, GAP);
        return m;
    }

    private static int at(Memory m, long i) {
        return m.segment().get(JAVA_INT_UNALIGNED, 4 * i);
    }

    private static void set(Memory m, long i, int value) {
        m.segment().set(JAVA_INT_UNALIGNED, 4 * i, value);
    }

    /// Uses more elements than an int can count; the calls pass the number of elements, not a derived type.
    void large(MemorySegment m, long n) {
        long each = n / size;
        m.fill((byte) (me + 1));
        Collective c = call("scan", Kind.SCAN, 0);
        c.send.type = ElementType.BYTE;
        c.inPlace = true;
        c.recv.memory = new Memory.Native(m);
        c.send.count = n;
        c.op = PredefinedReduction.BOR;
        smoke.run(c);
        int or = 0;
        for (int r = 0; r <= me; r++) or |= r + 1;
        smoke.check("scan", m.get(java.lang.foreign.ValueLayout.JAVA_BYTE, n - 1) == or);
        m.fill((byte) (1 << me));
        c = call("reduceScatter", Kind.REDUCE_SCATTER, 0);
        c.send.type = ElementType.BYTE;
        c.inPlace = true;
        c.recv.memory = new Memory.Native(m);
        c.send.count = each * size;
        c.recv.count = each;
        c.op = PredefinedReduction.BOR;
        smoke.run(c);
        smoke.check("reduceScatter", m.get(java.lang.foreign.ValueLayout.JAVA_BYTE, each - 1) == (1 << size) - 1);
        for (int r = 0; r < size; r++) m.asSlice(r * each, each).fill((byte) (10 * me + r));
        c = call("alltoall", Kind.ALLTOALL, 0);
        c.send.type = ElementType.BYTE;
        c.recv.type = ElementType.BYTE;
        c.inPlace = true;
        c.recv.memory = new Memory.Native(m);
        c.recv.count = each;
        smoke.run(c);
        for (int r = 0; r < size; r++) {
            byte last = m.get(java.lang.foreign.ValueLayout.JAVA_BYTE, (r + 1) * each - 1);
            smoke.check("alltoall", last == 10 * r + me);
        }
        c = call("scatter", Kind.SCATTER, 0);
        c.send.type = ElementType.BYTE;
        c.recv.type = ElementType.BYTE;
        c.inPlace = me == 0;
        c.send.memory = me == 0 ? new Memory.Native(m) : Memory.NONE;
        c.recv.memory = me == 0 ? Memory.NONE : new Memory.Native(m);
        c.send.count = each;
        c.recv.count = each;
        smoke.run(c);
        if (me > 0) smoke.check("scatter", m.get(java.lang.foreign.ValueLayout.JAVA_BYTE, each - 1) == 10 * me);
    }
}
