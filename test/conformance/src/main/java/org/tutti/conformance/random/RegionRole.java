package org.tutti.conformance.random;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.TypeModel;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.Packer;
import org.tutti.mpi.Request;
import org.tutti.mpi.Window;
import org.tutti.mpi.WindowTarget;

/// The accesses of one epoch to one region of a target's memory. The resulting bytes are independent of the
/// order of the accesses.
///
/// @param at offset of the region, in bytes
/// @param before previous content
/// @param origins the ranks that access the region
/// @param layout of the data of a put or get; null for contiguous elements
record RegionRole(
        Kind kind,
        long seed,
        int target,
        long at,
        int unit,
        byte[] before,
        List<Integer> origins,
        Datatype type,
        Op op,
        int count,
        @Nullable TypeModel layout) {
    static final int BYTES = 512;

    /// The accesses to the region in this epoch.
    private enum Kind {
        IDLE,
        /// One rank puts.
        PUT,
        /// Several ranks get.
        GET,
        /// Several ranks accumulate, each twice.
        ACCUMULATE,
        /// One rank fetches and accumulates twice; the second call returns the result of the first.
        FETCH,
        /// One rank compares and swaps. One of the attempts fails.
        SWAP,
        /// Several ranks fetch and increment a counter.
        COUNTER
    }

    private static final Datatype[] TYPES = {
        Datatype.BYTE,
        Datatype.BOOLEAN,
        Datatype.CHAR,
        Datatype.SHORT,
        Datatype.INT,
        Datatype.LONG,
        Datatype.FLOAT,
        Datatype.DOUBLE,
        Datatype.PACKED,
        Datatype.DOUBLE_COMPLEX,
        Datatype.FLOAT_COMPLEX,
        Datatype.DOUBLE_INT,
        Datatype.LONG_INT,
        Datatype.FLOAT_INT,
        Datatype.INT_INT
    };

    /// Operations on whole numbers with results that do not depend on the order. Sums of a few bits are exact
    /// in every type.
    private static final Op[] OPS = {
        Op.SUM, Op.MIN, Op.MAX, Op.LAND, Op.LOR, Op.LXOR, Op.BAND, Op.BOR, Op.BXOR, Op.MINLOC, Op.MAXLOC, Op.PROD
    };

    private static final Datatype[] SWAPPED = {
        Datatype.BYTE, Datatype.BOOLEAN, Datatype.CHAR, Datatype.SHORT, Datatype.INT, Datatype.LONG
    };

    private static final int DRAWS = 3;

    static RegionRole random(SplittableRandom r, int ranks, int target, int at, int unit, byte[] memory) {
        Kind kind = Kind.values()[r.nextInt(Kind.values().length)];
        boolean several = kind == Kind.GET || kind == Kind.ACCUMULATE || kind == Kind.COUNTER;
        int first = r.nextInt(ranks), more = several ? r.nextInt(ranks) : 0;
        List<Integer> origins = Stream.concat(
                        Stream.of(first), r.ints(more, 0, ranks).boxed())
                .distinct()
                .toList();
        byte[] before = Arrays.copyOfRange(memory, at, at + BYTES);
        boolean combines = kind == Kind.ACCUMULATE || kind == Kind.FETCH;
        Datatype type = kind == Kind.SWAP ? SWAPPED[r.nextInt(SWAPPED.length)] : TYPES[r.nextInt(TYPES.length)];
        boolean fitting = type != Datatype.PACKED && ExactNumbers.are(type, MemorySegment.ofArray(before));
        if (combines && !fitting) type = Datatype.LONG;
        Op op = Op.NO_OP;
        while (combines && !op.supports(type)) op = OPS[r.nextInt(OPS.length)];
        // a repeated floating-point product is not exact
        if (op == Op.PROD && !Op.LAND.supports(type)) op = Op.SUM;
        if (kind == Kind.FETCH && r.nextInt(4) == 0) op = r.nextBoolean() ? Op.REPLACE : Op.NO_OP;
        int count = r.nextInt(BYTES / (int) type.extent() + 1);
        @Nullable TypeModel layout = null;
        if ((kind == Kind.PUT || kind == Kind.GET) && r.nextBoolean()) {
            TypeModel m = TypeModel.random(r, 2, 20);
            boolean fits = m.trueUpper() - m.trueLower() <= BYTES - 8 && m.trueLower() < 8;
            fits &= !m.overlaps(1) && !m.map().isEmpty();
            if (fits) layout = m;
        }
        return new RegionRole(kind, r.nextLong(), target, at, unit, before, origins, type, op, count, layout);
    }

    boolean has(int origin) {
        return kind != Kind.IDLE && origins.contains(origin);
    }

    // ---- the data of a rank

    /// Returns the data of `origin`: elements that are small in every type, so that sums are exact.
    private MemorySegment data(int origin, int round, long bytes) {
        SplittableRandom r = new SplittableRandom(seed * 31 + origin * 7L + round);
        MemorySegment data = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        for (long i = 0; i < bytes; i++) data.set(JAVA_BYTE, i, (byte) r.nextInt(256));
        boolean asNumbers = kind == Kind.ACCUMULATE || kind == Kind.FETCH || kind == Kind.PUT && layout == null;
        if (asNumbers) ExactNumbers.fill(r, type, data);
        return data;
    }

    private long bytes() {
        TypeModel m = layout;
        return m == null ? (long) count * (int) type.extent() : m.size();
    }

    /// Returns the position of an element with layout `m`, in bytes of the target's memory, such that no byte
    /// of the element is before the region.
    private long base(TypeModel m) {
        return at + Math.ceilDiv(Math.max(0, -m.trueLower()), 8) * 8;
    }

    private long displacement(long place) {
        return place / unit;
    }

    // ---- the accesses

    void run(Window w, int me, SplittableRandom own, boolean passive) {
        switch (kind) {
            case IDLE -> {}
            case PUT -> put(w, me, own, passive);
            case GET -> get(w, me, own, passive);
            case ACCUMULATE -> {
                for (int round = 0; round < 2; round++) {
                    Buf from = placed(own, data(me, round, bytes()));
                    if (passive && own.nextBoolean())
                        w.raccumulate(from, target, displacement(at), op).await();
                    else if (own.nextBoolean())
                        w.at(target, displacement(at), count, type).accumulate(from, op);
                    else w.accumulate(from, target, displacement(at), op);
                }
            }
            case FETCH -> fetch(w, me, own);
            case SWAP -> swap(w);
            case COUNTER -> draw(w);
        }
    }

    /// Returns a buffer with the data, in a kind of memory that this rank chooses.
    private Buf placed(SplittableRandom own, MemorySegment data) {
        if (own.nextBoolean()) return buf(data, type);
        MemorySegment outside = Arena.ofAuto().allocate(data.byteSize(), 8);
        return buf(outside.copyFrom(data), type);
    }

    private void put(Window w, int me, SplittableRandom own, boolean passive) {
        TypeModel m = layout;
        if (m == null) {
            Buf from = placed(own, data(me, 0, bytes()));
            if (passive && own.nextBoolean())
                w.rput(from, target, displacement(at)).await();
            else w.put(from, target, displacement(at));
            return;
        }
        w.at(target, displacement(base(m)), 1, m.type()).put(spread(own, m, data(me, 0, bytes())));
    }

    private void get(Window w, int me, SplittableRandom own, boolean passive) {
        MemorySegment expected = MemorySegment.ofArray(new byte[Math.toIntExact(bytes())]);
        MemorySegment there = MemorySegment.ofArray(before);
        TypeModel m = layout;
        if (m == null) {
            expected.copyFrom(there.asSlice(0, bytes()));
            MemorySegment got = MemorySegment.ofArray(new byte[Math.toIntExact(bytes())]);
            Request r = passive ? w.rget(buf(got, type), target, displacement(at)) : null;
            if (r != null) r.await();
            else w.get(buf(got, type), target, displacement(at));
            same(expected, got, "got");
            return;
        }
        m.pack(there, base(m) - at, 1, expected, bytes());
        Buf into = spread(own, m, MemorySegment.ofArray(new byte[Math.toIntExact(bytes())]));
        WindowTarget place = w.at(target, displacement(base(m)), 1, m.type());
        place.get(into);
        MemorySegment got = MemorySegment.ofArray(new byte[Math.toIntExact(bytes())]);
        got.copyFrom(MemorySegment.ofArray(new Packer().add(into).toByteArray()));
        same(expected, got, "got of " + m.type());
    }

    /// Returns a buffer with the same elements, sometimes in a different layout.
    private static Buf spread(SplittableRandom own, TypeModel m, MemorySegment data) {
        TypeModel other = own.nextBoolean() ? m : m.spread(1);
        long low = Math.min(0, other.trueLower()), high = other.trueUpper();
        MemorySegment memory = own.nextBoolean()
                ? MemorySegment.ofArray(new byte[Math.toIntExact(high - low)])
                : Arena.ofAuto().allocate(Math.max(1, high - low), 8);
        other.unpack(memory, -low, 1, data, data.byteSize());
        return buf(memory, -low, 1, other.type());
    }

    private void fetch(Window w, int me, SplittableRandom own) {
        MemorySegment expected = MemorySegment.ofArray(before.clone());
        for (int round = 0; round < 2; round++) {
            MemorySegment mine = data(me, round, bytes());
            MemorySegment got = MemorySegment.ofArray(new byte[Math.toIntExact(bytes())]);
            if (count == 1) w.fetchAndOp(buf(mine, type), buf(got, type), target, displacement(at), op);
            else w.getAccumulate(placed(own, mine), buf(got, type), target, displacement(at), op);
            same(expected.asSlice(0, bytes()), got, "fetched by " + op);
            combine(mine, expected);
        }
    }

    private void swap(Window w) {
        MemorySegment old = MemorySegment.ofArray(before).asSlice(0, (int) type.extent());
        MemorySegment got = MemorySegment.ofArray(new byte[(int) type.extent()]);
        w.compareAndSwap(buf(wrong(), type), buf(wrong(), type), buf(got, type), target, displacement(at));
        same(old, got, "returned by an unsuccessful swap");
        w.compareAndSwap(buf(wrong(), type), buf(old, type), buf(got, type), target, displacement(at));
        same(old, got, "swapped");
    }

    /// Returns an element that differs from the element in memory.
    private MemorySegment wrong() {
        MemorySegment wrong = MemorySegment.ofArray(new byte[(int) type.extent()]);
        for (int i = 0; i < (int) type.extent(); i++) {
            wrong.set(JAVA_BYTE, i, (byte) (before[i] ^ 1));
        }
        return wrong;
    }

    private void draw(Window w) {
        long start = MemorySegment.ofArray(before).get(JAVA_LONG_UNALIGNED, 0);
        long last = -1;
        for (int i = 0; i < DRAWS; i++) {
            long drawn = w.at(target, displacement(at)).fetchAndAdd(1L) - start;
            Check.that(drawn > last && drawn < (long) DRAWS * origins.size(), "drew " + drawn + " after " + last);
            last = drawn;
        }
    }

    private void same(MemorySegment expected, MemorySegment got, String label) {
        long differs = expected.mismatch(got);
        Check.that(
                differs < 0,
                kind + " at byte " + at + " of rank " + target + ", " + count + " " + type + ": data " + label
                        + " differs at byte " + differs);
    }

    // ---- the model

    private void combine(MemorySegment data, MemorySegment inout) {
        if (op == Op.NO_OP) return;
        if (op == Op.REPLACE) inout.copyFrom(data);
        else op.reduceLocal(buf(data, type), buf(inout.asSlice(0, data.byteSize()), type));
    }

    /// Applies the accesses of the epoch to `memory`.
    void apply(byte[] memory) {
        MemorySegment region = MemorySegment.ofArray(memory).asSlice(at, BYTES);
        switch (kind) {
            case IDLE, GET -> {}
            case PUT -> {
                MemorySegment data = data(origins.getFirst(), 0, bytes());
                TypeModel m = layout;
                if (m == null) region.copyFrom(data);
                else m.unpack(MemorySegment.ofArray(memory), base(m), 1, data, data.byteSize());
            }
            case ACCUMULATE -> {
                for (int o : origins) {
                    for (int round = 0; round < 2; round++) combine(data(o, round, bytes()), region);
                }
            }
            case FETCH -> {
                for (int round = 0; round < 2; round++) combine(data(origins.getFirst(), round, bytes()), region);
            }
            case SWAP -> region.copyFrom(wrong());
            case COUNTER -> {
                long drawn = (long) DRAWS * origins.size();
                region.set(JAVA_LONG_UNALIGNED, 0, region.get(JAVA_LONG_UNALIGNED, 0) + drawn);
            }
        }
    }
}
