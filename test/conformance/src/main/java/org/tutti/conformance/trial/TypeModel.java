package org.tutti.conformance.trial;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Distribution;

/// A datatype together with the type map of the standard, a list of basic types and displacements (MPI 4.1,
/// section 5.1). Plain loops compute all other properties from the map.
///
/// @param bounded whether `resized` or a similar constructor has set the bounds
public record TypeModel(Datatype type, List<Entry> map, long lower, long upper, boolean bounded, long alignment) {
    /// One basic element.
    public record Entry(Datatype basic, long at) {}

    private static final List<Datatype> BASICS = List.of(
            Datatype.BYTE,
            Datatype.CHAR,
            Datatype.SHORT,
            Datatype.INT,
            Datatype.LONG,
            Datatype.FLOAT,
            Datatype.DOUBLE,
            Datatype.BOOLEAN);

    private static final long MOST_BYTES = 1 << 16;

    /// A copy of a component type at a position of a new type.
    private record Copy(TypeModel of, long at) {}

    public static TypeModel of(Datatype basic) {
        return new TypeModel(basic, List.of(new Entry(basic, 0)), 0, basic.sizeBytes(), false, basic.sizeBytes());
    }

    /// Returns a random type with at most `depth` nested constructors and about `most` elements.
    public static TypeModel random(SplittableRandom r, int depth, int most) {
        if (depth == 0) return of(BASICS.get(r.nextInt(BASICS.size())));
        TypeModel old = random(r, r.nextInt(depth), most);
        TypeModel made = old.random(r, r.nextInt(11), depth, most);
        boolean huge = made.map.size() > 4 * most || made.trueUpper() - made.trueLower() > MOST_BYTES;
        return huge || made.extent() > MOST_BYTES ? old : made;
    }

    /// Returns one type per constructor, with components of `basic` or of several types.
    public static List<TypeModel> ofEachConstructor(SplittableRandom r, Datatype basic) {
        List<TypeModel> all = new ArrayList<>();
        TypeModel old = of(basic);
        for (int kind = 0; kind < 11; kind++) {
            TypeModel made = old.random(r, kind, 1, 20);
            while (made.map.isEmpty()) made = old.random(r, kind, 1, 20);
            all.add(made);
        }
        all.add(new TypeModel(
                all.getLast().type.dup(),
                all.getLast().map,
                all.getLast().lower,
                all.getLast().upper,
                true,
                old.alignment));
        return all;
    }

    /// Returns one type that contains the elements of this type `count` times, in the same order, each at a
    /// separate position.
    public TypeModel spread(int count) {
        long[] places = new long[count * map.size()];
        List<TypeModel> parts = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            places[i] = (i % 3 - 1) * 16L + i * 48L;
            parts.add(of(map.get(i % map.size()).basic));
        }
        return struct(parts, places);
    }

    private TypeModel random(SplittableRandom r, int kind, int depth, int most) {
        TypeModel old = this;
        int room = Math.max(1, most / Math.max(1, old.map.size()));
        return switch (kind) {
            case 0 -> old.contiguous(r.nextInt(room + 1));
            case 1, 2 -> {
                int block = r.nextInt(Math.min(room, 4) + 1);
                yield old.vector(r.nextInt(Math.max(1, room / Math.max(1, block)) + 1), block, r.nextInt(-3, 7));
            }
            case 3 -> old.hvector(r.nextInt(Math.min(room, 6) + 1), 1, old.step(r) * r.nextInt(-1, 4));
            case 4, 5 -> old.indexed(r, Math.min(room, 5));
            case 6 -> old.hindexed(r, Math.min(room, 5));
            case 7, 8 -> struct(r, old, depth, most);
            case 9 -> r.nextBoolean() ? old.subarray(r) : old.darray(r);
            default -> old.resized(r.nextInt(-8, 9), old.upper - old.lower + r.nextInt(0, 24));
        };
    }

    /// Returns a distance at which copies do not overlap and are aligned.
    private long step(SplittableRandom r) {
        long span = Math.max(upper - lower, 1) + r.nextInt(3) * alignment;
        return Math.ceilDiv(span, alignment) * alignment;
    }

    public long extent() {
        return upper - lower;
    }

    public TypeModel contiguous(int count) {
        List<Copy> copies = new ArrayList<>();
        for (int i = 0; i < count; i++) copies.add(new Copy(this, i * extent()));
        return made(type.contiguous(count), copies);
    }

    public TypeModel vector(int count, int block, int stride) {
        return made(type.vector(count, block, stride), strided(count, block, stride * extent()));
    }

    public TypeModel hvector(int count, int block, long stride) {
        return made(type.hvector(count, block, stride), strided(count, block, stride));
    }

    private List<Copy> strided(int count, int block, long stride) {
        List<Copy> copies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < block; j++) copies.add(new Copy(this, i * stride + j * extent()));
        }
        return copies;
    }

    private TypeModel indexed(SplittableRandom r, int blocks) {
        boolean equal = r.nextBoolean();
        int[] lengths = new int[blocks], places = new int[blocks];
        List<Copy> copies = new ArrayList<>();
        for (int b = 0; b < blocks; b++) {
            lengths[b] = equal ? 2 : r.nextInt(4);
            places[b] = r.nextInt(-9, 20);
            for (int j = 0; j < lengths[b]; j++) copies.add(new Copy(this, (places[b] + j) * extent()));
        }
        return made(equal ? type.indexedBlock(2, places) : type.indexed(lengths, places), copies);
    }

    private TypeModel hindexed(SplittableRandom r, int blocks) {
        boolean equal = r.nextBoolean();
        int[] lengths = new int[blocks];
        long[] places = new long[blocks];
        List<Copy> copies = new ArrayList<>();
        for (int b = 0; b < blocks; b++) {
            lengths[b] = equal ? 3 : r.nextInt(4);
            places[b] = alignment * r.nextInt(-9, 20);
            for (int j = 0; j < lengths[b]; j++) copies.add(new Copy(this, places[b] + j * extent()));
        }
        return made(equal ? type.hindexedBlock(3, places) : type.hindexed(lengths, places), copies);
    }

    /// Returns a type with one element of each part, at the displacements `places`.
    public static TypeModel struct(List<TypeModel> parts, long... places) {
        int[] ones = new int[places.length];
        Datatype[] types = new Datatype[places.length];
        List<Copy> copies = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            ones[i] = 1;
            types[i] = parts.get(i).type;
            copies.add(new Copy(parts.get(i), places[i]));
        }
        return made(Datatype.struct(ones, places, types), copies);
    }

    private static TypeModel struct(SplittableRandom r, TypeModel first, int depth, int most) {
        int parts = r.nextInt(1, 4);
        int[] lengths = new int[parts];
        long[] places = new long[parts];
        Datatype[] types = new Datatype[parts];
        List<Copy> copies = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < parts; i++) {
            TypeModel part = i == 0 ? first : random(r, r.nextInt(depth), most / parts);
            types[i] = part.type;
            lengths[i] = r.nextInt(3);
            places[i] = Math.ceilDiv(at - part.lower, 8) * 8 + 8L * r.nextInt(2);
            at = places[i] + part.lower;
            for (int j = 0; j < lengths[i]; j++) {
                copies.add(new Copy(part, places[i] + j * part.extent()));
                at = Math.max(at, places[i] + j * part.extent() + part.upper);
            }
        }
        return made(Datatype.struct(lengths, places, types), copies);
    }

    public TypeModel resized(long lowerBound, long extent) {
        return new TypeModel(type.resized(lowerBound, extent), map, lowerBound, lowerBound + extent, true, alignment);
    }

    private TypeModel subarray(SplittableRandom r) {
        int n = r.nextInt(1, 4);
        int[] sizes = new int[n], parts = new int[n], starts = new int[n];
        for (int d = 0; d < n; d++) {
            sizes[d] = r.nextInt(1, 5);
            parts[d] = r.nextInt(1, sizes[d] + 1);
            starts[d] = r.nextInt(sizes[d] - parts[d] + 1);
        }
        ArrayOrder order = ArrayOrder.values()[r.nextInt(2)];
        Datatype made = type.subarray(sizes, parts, starts, order);
        return array(made, sizes, order, (d, i) -> i >= starts[d] && i < starts[d] + parts[d]);
    }

    private TypeModel darray(SplittableRandom r) {
        int n = r.nextInt(1, 4);
        int[] sizes = new int[n], arguments = new int[n], processes = new int[n], block = new int[n];
        Distribution[] ways = new Distribution[n];
        int all = 1;
        for (int d = 0; d < n; d++) {
            sizes[d] = r.nextInt(1, 6);
            ways[d] = Distribution.values()[r.nextInt(3)];
            processes[d] = ways[d] == Distribution.NONE ? 1 : r.nextInt(1, 4);
            boolean byDefault = r.nextBoolean() || ways[d] == Distribution.NONE;
            int least = ways[d] == Distribution.BLOCK ? Math.ceilDiv(sizes[d], processes[d]) : 1;
            block[d] = byDefault ? least : least + r.nextInt(2);
            if (ways[d] == Distribution.NONE) block[d] = sizes[d];
            arguments[d] = byDefault ? Distribution.DEFAULT_ARGUMENT : block[d];
            all *= processes[d];
        }
        int rank = r.nextInt(all);
        int[] place = new int[n];
        int rest = rank;
        for (int d = n - 1; d >= 0; d--) {
            place[d] = rest % processes[d];
            rest /= processes[d];
        }
        ArrayOrder order = ArrayOrder.values()[r.nextInt(2)];
        Datatype made = type.darray(all, rank, sizes, ways, arguments, processes, order);
        return array(made, sizes, order, (d, i) -> i / block[d] % processes[d] == place[d]);
    }

    /// Defines whether the part contains index `i` of dimension `d`.
    private interface Part {
        boolean has(int d, int i);
    }

    private TypeModel array(Datatype made, int[] sizes, ArrayOrder order, Part part) {
        int n = sizes.length;
        long all = 1;
        for (int s : sizes) all *= s;
        List<Entry> entries = new ArrayList<>();
        for (long cell = 0; cell < all; cell++) {
            boolean in = true;
            long rest = cell;
            for (int k = 0; k < n; k++) {
                int d = order == ArrayOrder.C ? n - 1 - k : k;
                in &= part.has(d, (int) (rest % sizes[d]));
                rest /= sizes[d];
            }
            if (!in) continue;
            for (Entry e : map) entries.add(new Entry(e.basic, e.at + cell * extent()));
        }
        return new TypeModel(made, entries, 0, all * extent(), true, alignment);
    }

    private static TypeModel made(Datatype type, List<Copy> copies) {
        List<Entry> entries = new ArrayList<>();
        long low = Long.MAX_VALUE, high = Long.MIN_VALUE, align = 1;
        boolean bounded = copies.stream().anyMatch(c -> c.of.bounded);
        for (Copy c : copies) {
            for (Entry e : c.of.map) {
                entries.add(new Entry(e.basic, e.at + c.at));
                if (bounded) continue;
                low = Math.min(low, e.at + c.at);
                high = Math.max(high, e.at + c.at + e.basic.sizeBytes());
            }
            if (c.of.bounded) {
                low = Math.min(low, c.of.lower + c.at);
                high = Math.max(high, c.of.upper + c.at);
            }
            align = Math.max(align, c.of.alignment);
        }
        if (high == Long.MIN_VALUE) return new TypeModel(type, entries, 0, 0, false, align);
        if (!bounded) high = low + Math.ceilDiv(high - low, align) * align;
        return new TypeModel(type, entries, low, high, bounded, align);
    }

    // ---- properties of the type

    public long size() {
        long size = 0;
        for (Entry e : map) size += e.basic.sizeBytes();
        return size;
    }

    public long trueLower() {
        return map.stream().mapToLong(Entry::at).min().orElse(0);
    }

    public long trueUpper() {
        return map.stream().mapToLong(e -> e.at + e.basic.sizeBytes()).max().orElse(0);
    }

    /// Returns whether some byte occurs twice in `count` elements.
    public boolean overlaps(int count) {
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (Entry e : map) {
                for (int b = 0; b < e.basic.sizeBytes(); b++) bytes.add(i * extent() + e.at + b);
            }
        }
        return bytes.stream().distinct().count() < bytes.size();
    }

    /// Copies `count` elements at `base` of `memory` to `packed`, byte by byte, up to `length` bytes.
    public void pack(MemorySegment memory, long base, int count, MemorySegment packed, long length) {
        walk(
                base,
                count,
                length,
                (at, i) -> packed.set(ValueLayout.JAVA_BYTE, i, memory.get(ValueLayout.JAVA_BYTE, at)));
    }

    /// Copies the bytes of `packed` to `count` elements at `base` of `memory`.
    public void unpack(MemorySegment memory, long base, int count, MemorySegment packed, long length) {
        walk(
                base,
                count,
                length,
                (at, i) -> memory.set(ValueLayout.JAVA_BYTE, at, packed.get(ValueLayout.JAVA_BYTE, i)));
    }

    /// Visits a byte in memory and the corresponding byte of the packed data.
    private interface ByteVisitor {
        void at(long at, long packed);
    }

    private void walk(long base, int count, long length, ByteVisitor step) {
        long packed = 0;
        for (int i = 0; i < count; i++) {
            for (Entry e : map) {
                for (int b = 0; b < e.basic.sizeBytes() && packed < length; b++) {
                    step.at(base + i * extent() + e.at + b, packed++);
                }
            }
        }
    }
}
