package org.tutti.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.Memory;
import org.tutti.spi.reduce.CustomReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Elements;

/// One collective call on all ranks of a fake network, compared with a plain loop. Elements are longs.
///
/// @param counts if `blocks` is set, the number of elements of each rank's block; otherwise every block or
///     vector has `counts[0]` elements
/// @param inPlaceMask bit r: rank r is in place; bit 0 applies to all ranks if these must agree
/// @param blocks whether the argument with the blocks of all ranks describes each block separately; the blocks
///     are then in reverse order with gaps, if the operation permits this
record AlgorithmTrial(
        Function<Collective, Algorithm> table,
        Kind kind,
        int size,
        int root,
        long[] counts,
        @Nullable Reduction op,
        long inPlaceMask,
        boolean blocks,
        boolean eager,
        long seed) {
    static final long PRIME = 2_147_483_647;
    private static final long UNTOUCHED = 0x7777_7777_7777_7777L;

    /// Composition of the maps x ↦ ax + b modulo a prime, a in the upper half, b in the lower: associative,
    /// noncommutative.
    static final Reduction AFFINE = ofLong("affine", false, AlgorithmTrial::compose);

    static Reduction ofLong(String name, boolean commutative, LongBinaryOperator f) {
        return new CustomReduction(name, commutative, ElementType.LONG, (in, inAt, inout, inoutAt, count, bytes) -> {
            for (long i = 0; i < count * bytes; i += bytes) {
                long r = f.applyAsLong(Elements.getLong(in, inAt + i), Elements.getLong(inout, inoutAt + i));
                Elements.setLong(inout, inoutAt + i, r);
            }
        });
    }

    static long compose(long f, long g) {
        long a = (f >>> 32) * (g >>> 32) % PRIME;
        long b = ((f >>> 32) * (g & 0xffff_ffffL) + (f & 0xffff_ffffL)) % PRIME;
        return a << 32 | b;
    }

    static long element(int rank, long i) {
        return ((rank * 7919L + i * 31 + 1) % PRIME) << 32 | (rank * 104729L + i * 17 + 3) % PRIME;
    }

    void run() {
        run(1);
    }

    /// Makes the same call `times` times on the same runners.
    void run(int times) {
        FakeNetwork network = new FakeNetwork(size, eager, seed);
        List<ScheduleRunner> runners = new ArrayList<>();
        for (FakeNetwork.FakeEngine engine : network.engines) runners.add(new ScheduleRunner(engine, table));
        SplittableRandom random = new SplittableRandom(seed);
        try (Arena arena = Arena.ofConfined()) {
            for (int time = 0; time < times; time++) {
                List<Collective> calls = new ArrayList<>();
                for (int rank = 0; rank < size; rank++) {
                    Collective call = call(network.engines.get(rank), rank, time, arena, random);
                    calls.add(call);
                }
                for (int rank = 0; rank < size; rank++) runners.get(rank).begin(calls.get(rank));
                network.drive(runners);
                for (int rank = 0; rank < size; rank++) {
                    assertThat(runners.get(rank).failure())
                            .as("%s rank %d", this, rank)
                            .isNull();
                    check(rank, calls.get(rank));
                }
                assertThat(network.undelivered()).as("%s undelivered", this).isZero();
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("in " + this, e);
        }
    }

    private boolean inPlace(int rank) {
        boolean possible = kind != Kind.GATHER && kind != Kind.SCATTER || rank == root;
        int bit = kind == Kind.ALLTOALL ? 0 : rank;
        return possible && kind != Kind.BCAST && kind != Kind.BARRIER && (inPlaceMask >> bit & 1) != 0;
    }

    private boolean gathers() {
        return kind == Kind.GATHER || kind == Kind.ALLGATHER;
    }

    private boolean hasResult(int rank) {
        return !kind.rooted() || kind == Kind.BCAST || kind == Kind.SCATTER || rank == root;
    }

    /// Number of elements of block `block`.
    private long length(int block) {
        return blocks ? counts[block] : counts[0];
    }

    /// Number of elements from rank `from` to rank `to` in an alltoall; symmetric, so that it may be in place.
    private long length(int from, int to) {
        return blocks ? counts[(from + to) % size] : counts[0];
    }

    /// Blocks with these lengths in reverse order, with gaps of one element.
    private Collective.BlockLayout reversed(java.util.function.IntToLongFunction lengths) {
        long[] all = new long[size];
        long[] displacements = new long[size];
        long at = 0;
        for (int block = size - 1; block >= 0; block--) {
            all[block] = lengths.applyAsLong(block);
            displacements[block] = at;
            at += all[block] + 1;
        }
        return new Collective.BlockLayout(all, displacements);
    }

    private static long room(Collective.BlockLayout b) {
        return b.displacement(0) + b.count(0) + 1;
    }

    /// Consecutive blocks.
    private Collective.BlockLayout consecutive() {
        long[] all = new long[size];
        long[] displacements = new long[size];
        for (int block = 0; block < size; block++) {
            all[block] = length(block);
            displacements[block] = block == 0 ? 0 : displacements[block - 1] + all[block - 1];
        }
        return new Collective.BlockLayout(all, displacements);
    }

    /// Start of block `block` in `recv`, in elements; if `blocks` is set, the blocks are in reverse order with
    /// gaps of one element.
    private long displacement(int block) {
        long at = 0;
        if (!blocks) return counts[0] * block;
        for (int other = size - 1; other > block; other--) at += counts[other] + 1;
        return at;
    }

    private Collective call(FakeNetwork.FakeEngine engine, int rank, long time, Arena arena, SplittableRandom random) {
        Collective call = engine.collective();
        call.fill(kind.name().toLowerCase(), engine.world(), kind, kind.rooted() ? root : 0);
        call.sequence = time + 32760; // soon exceeds the tag's upper bound
        call.inPlace = inPlace(rank);
        call.send.type = kind == Kind.BARRIER ? ElementType.BYTE : ElementType.LONG;
        call.op = op;
        if (kind == Kind.SCATTER) {
            scatter(call, rank, arena, random);
        } else if (kind == Kind.ALLTOALL) {
            alltoall(call, rank, arena, random);
        } else if (kind == Kind.REDUCE_SCATTER) {
            Collective.BlockLayout b = consecutive();
            call.send.count = b.displacement(size - 1) + b.count(size - 1);
            call.recv.type = ElementType.LONG;
            if (blocks) call.recv.blocks = b;
            else call.recv.count = counts[0];
            call.recv.memory = fresh(call.inPlace ? call.send.count : length(rank), arena, random);
            fillOperand(call, rank, call.send.count, 0, arena, random);
        } else if (gathers()) {
            long own = blocks ? counts[rank] : counts[0];
            call.send.count = own;
            if (hasResult(rank)) {
                long total = 0;
                for (int i = 0; i < size; i++) total += (blocks ? counts[i] : counts[0]) + 1;
                call.recv.type = ElementType.LONG;
                if (blocks) {
                    long[] displacements = new long[size];
                    for (int i = 0; i < size; i++) displacements[i] = displacement(i);
                    call.recv.blocks = new Collective.BlockLayout(counts, displacements);
                } else {
                    call.recv.count = counts[0];
                }
                call.recv.memory = fresh(total, arena, random);
            }
            fillOperand(call, rank, own, call.inPlace ? displacement(rank) : 0, arena, random);
        } else if (kind != Kind.BARRIER) {
            call.send.count = counts[0];
            if (kind == Kind.BCAST || hasResult(rank) || call.inPlace)
                call.recv.memory = fresh(call.send.count, arena, random);
            if (kind == Kind.BCAST) {
                if (rank == root) for (long i = 0; i < call.send.count; i++) set(call.recv.memory, i, element(rank, i));
            } else {
                fillOperand(call, rank, call.send.count, 0, arena, random);
            }
        }
        return call;
    }

    private void scatter(Collective call, int rank, Arena arena, SplittableRandom random) {
        call.recv.type = ElementType.LONG;
        call.recv.count = length(rank);
        if (!call.inPlace) call.recv.memory = fresh(length(rank), arena, random);
        if (rank != root) return;
        Collective.BlockLayout b = blocks ? reversed(this::length) : consecutive();
        call.send.memory =
                fresh(size * 2L + b.displacement(0) + b.displacement(size - 1) + 2 * counts[0] * size, arena, random);
        if (blocks) call.send.blocks = b;
        else call.send.count = counts[0];
        for (int block = 0; block < size; block++) {
            for (long i = 0; i < b.count(block); i++)
                set(call.send.memory, b.displacement(block) + i, element(block, i));
        }
    }

    private void alltoall(Collective call, int rank, Arena arena, SplittableRandom random) {
        Collective.BlockLayout b = reversed(other -> length(other, rank));
        call.recv.type = ElementType.LONG;
        call.send.count = counts[0];
        call.recv.count = counts[0];
        call.recv.memory = fresh(blocks ? room(b) : counts[0] * size, arena, random);
        if (blocks) call.recv.blocks = b;
        if (!call.inPlace) {
            call.send.memory = fresh(blocks ? room(b) : counts[0] * size, arena, random);
            if (blocks) call.send.blocks = b;
        }
        Memory from = call.inPlace ? call.recv.memory : call.send.memory;
        for (int to = 0; to < size; to++) {
            long at = blocks ? b.displacement(to) : counts[0] * to;
            for (long i = 0; i < length(rank, to); i++) set(from, at + i, element(rank * 100 + to, i));
        }
    }

    private void fillOperand(Collective call, int rank, long count, long at, Arena arena, SplittableRandom random) {
        Memory operand = call.inPlace ? call.recv.memory : fresh(count, arena, random);
        if (!call.inPlace) call.send.memory = operand;
        for (long i = 0; i < count; i++) set(operand, at + i, element(rank, i));
    }

    private static Memory fresh(long count, Arena arena, SplittableRandom random) {
        MemorySegment segment = random.nextBoolean()
                ? arena.allocate(8 * count, 8)
                : random.nextBoolean()
                        ? MemorySegment.ofArray(new long[(int) count])
                        : MemorySegment.ofArray(new byte[(int) (8 * count)]);
        long[] untouched = new long[(int) count];
        Arrays.fill(untouched, UNTOUCHED);
        segment.copyFrom(MemorySegment.ofArray(untouched));
        return Memory.of(segment);
    }

    private void check(int rank, Collective call) {
        if (!gathers() && op != null && !call.inPlace || gathers() && !call.inPlace) {
            for (long i = 0; i < call.send.count; i++) {
                if (get(call.send.memory, i) != element(rank, i))
                    throw new AssertionError("rank " + rank + ": send changed at " + i);
            }
        }
        if (!hasResult(rank)) {
            if (call.inPlace) expect(rank, call, 0, call.send.count, i -> element(rank, i));
            return;
        }
        switch (kind) {
            case SCATTER -> {
                if (!call.inPlace) expect(rank, call, 0, length(rank), i -> element(rank, i));
            }
            case ALLTOALL -> {
                for (int from = 0; from < size; from++) {
                    int of = from * 100 + rank;
                    long at = blocks ? call.recv.blocks.displacement(from) : counts[0] * from;
                    expect(rank, call, at, length(from, rank), i -> element(of, i));
                    if (blocks) expect(rank, call, at + length(from, rank), 1, i -> UNTOUCHED);
                }
            }
            case REDUCE_SCATTER -> {
                long before = consecutive().displacement(rank);
                expect(rank, call, 0, length(rank), i -> reduced(size, before + i));
            }
            case SCAN -> expect(rank, call, 0, call.send.count, i -> reduced(rank + 1, i));
            case EXSCAN ->
                expect(
                        rank,
                        call,
                        0,
                        call.send.count,
                        i -> rank > 0 ? reduced(rank, i) : call.inPlace ? element(0, i) : UNTOUCHED);
            case BARRIER -> {}
            case BCAST -> expect(rank, call, 0, call.send.count, i -> element(root, i));
            case REDUCE, ALLREDUCE -> expect(rank, call, 0, call.send.count, i -> reduced(size, i));
            case GATHER, ALLGATHER -> {
                for (int block = 0; block < size; block++) {
                    int of = block;
                    long count = blocks ? counts[block] : counts[0];
                    expect(rank, call, displacement(block), count, i -> element(of, i));
                    if (blocks) expect(rank, call, displacement(block) + count, 1, i -> UNTOUCHED);
                }
            }
        }
    }

    private long reduced(int ranks, long i) {
        long value = element(0, i);
        for (int rank = 1; rank < ranks; rank++) {
            value = op == AFFINE ? compose(value, element(rank, i)) : value + element(rank, i);
        }
        return value;
    }

    private void expect(int rank, Collective call, long from, long count, java.util.function.LongUnaryOperator value) {
        for (long i = 0; i < count; i++) {
            long got = get(call.recv.memory, from + i);
            long want = value.applyAsLong(i);
            if (got != want) {
                throw new AssertionError("rank " + rank + ": element " + (from + i) + " is " + got + ", not " + want);
            }
        }
    }

    private static long get(Memory memory, long i) {
        return memory.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i);
    }

    private static void set(Memory memory, long i, long value) {
        memory.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i, value);
    }
}
