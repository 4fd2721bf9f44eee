package org.tutti.libmpi.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.libmpi.raw.Link.HANDLE;
import static org.tutti.libmpi.raw.Link.INT;
import static org.tutti.libmpi.raw.Link.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.abi.Abi;
import org.tutti.libmpi.boot.Library;
import org.tutti.mpi.ArrayOrder;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Combiner;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Distribution;
import org.tutti.mpi.Packer;
import org.tutti.mpi.TypeContents;

/// A process that creates random nested types, creates each type with the library's constructors, too, and
/// compares sizes, extents and the output of `MPI_Pack` and `MPI_Pack_external` for the same memory.
/// `TypeOracle SEED COUNT` prints differences and the number of comparisons.
final class TypeOracle {
    private static final int MOST_BYTES = 1 << 15, AROUND = 64;
    private static final MemoryLayout ADDRESS_SIZED = JAVA_LONG;

    private static final Datatype[] BASICS = {
        Datatype.BYTE, Datatype.CHAR, Datatype.SHORT, Datatype.INT, Datatype.LONG, Datatype.FLOAT, Datatype.DOUBLE
    };

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment out = arena.allocate(JAVA_LONG, 4);
    private final boolean openMpi = Constants.ABI == Abi.OPEN_MPI;

    private TypeOracle() {}

    public static void main(String[] args) throws Throwable {
        Library.load(RankEnvironment.current(), null);
        int rc = (int) Link.link("MPI_Init", POINTER, POINTER).invokeExact(MemorySegment.NULL, MemorySegment.NULL);
        if (rc != 0) throw new IllegalStateException("MPI_Init: " + rc);
        TypeOracle oracle = new TypeOracle();
        long seed = Long.parseLong(args[0]);
        int compared = 0;
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            SplittableRandom r = new SplittableRandom(seed + i);
            Datatype t = random(r, 4);
            if (t.trueExtent() > MOST_BYTES || Math.abs(t.extent()) > MOST_BYTES || t.sizeBytes() > MOST_BYTES)
                continue;
            // MPICH 4.0.2 ignores bounds that were set inside a struct
            if (!oracle.openMpi && isStructOfSetBounds(t)) continue;
            compared++;
            String problem = oracle.compare(t, r);
            if (problem != null) System.out.println("seed " + (seed + i) + ": " + t + ": " + problem);
        }
        System.out.println("compared " + compared);
        rc = (int) Link.link("MPI_Finalize").invokeExact();
        if (rc != 0) throw new IllegalStateException("MPI_Finalize: " + rc);
    }

    private String compare(Datatype t, SplittableRandom r) throws Throwable {
        long handle = lower(t);
        String problem = compare(t, handle, r);
        free(t, handle);
        return problem;
    }

    private String compare(Datatype t, long handle, SplittableRandom r) throws Throwable {
        ok((int) Calls.SIZE.invokeExact(handle, out));
        if (out.get(JAVA_INT, 0) != t.sizeBytes()) return "size " + t.sizeBytes() + " but " + out.get(JAVA_INT, 0);
        ok((int) Calls.EXTENT.invokeExact(handle, out, out.asSlice(8)));
        String bounds = differ("bounds", t.lowerBound(), t.extent());
        if (bounds != null) return bounds;
        ok((int) Calls.TRUE_EXTENT.invokeExact(handle, out, out.asSlice(8)));
        if (t.sizeBytes() > 0) {
            String trueBounds = differ("true bounds", t.trueLowerBound(), t.trueExtent());
            if (trueBounds != null) return trueBounds;
        }
        int count = 1 + r.nextInt(3);
        long reach = (count - 1) * t.extent();
        long base = AROUND - Math.min(0, t.trueLowerBound()) - Math.min(0, reach);
        long bytes = base + Math.max(0, t.trueLowerBound() + t.trueExtent()) + Math.max(0, reach) + AROUND;
        MemorySegment memory = arena.allocate(bytes, 64);
        for (long i = 0; i < bytes; i++) memory.set(JAVA_BYTE, i, (byte) r.nextInt());
        Buf buf = Buf.buf(memory, base, count, t);
        String packed =
                differ("MPI_Pack", new Packer().add(buf).toByteArray(), pack(handle, memory.asSlice(base), count, t));
        // MPICH 4.0.2 crashes in MPI_Pack_external of a struct
        if (packed != null || !openMpi) return packed;
        byte[] external = Packer.external32().add(buf).toByteArray();
        return differ("MPI_Pack_external", external, packExternal(handle, memory.asSlice(base), count, t));
    }

    private MemorySegment pack(long handle, MemorySegment from, int count, Datatype t) throws Throwable {
        int room = Math.toIntExact(count * t.sizeBytes() + 8);
        MemorySegment packed = arena.allocate(room, 8);
        out.set(JAVA_INT, 0, 0);
        ok((int) Calls.PACK.invokeExact(from, count, handle, packed, room, out, Constants.MPI_COMM_SELF));
        return packed.asSlice(0, out.get(JAVA_INT, 0));
    }

    private MemorySegment packExternal(long handle, MemorySegment from, int count, Datatype t) throws Throwable {
        long room = count * t.sizeBytes() + 8;
        MemorySegment packed = arena.allocate(room, 8);
        out.set(JAVA_LONG, 0, 0);
        MemorySegment name = arena.allocateFrom("external32");
        ok((int) Calls.PACK_EXTERNAL.invokeExact(name, from, count, handle, packed, room, out));
        return packed.asSlice(0, out.get(JAVA_LONG, 0));
    }

    private String differ(String what, long first, long second) {
        long theirs = out.get(JAVA_LONG, 0), theirSecond = out.get(JAVA_LONG, 8);
        if (theirs == first && theirSecond == second) return null;
        return what + " " + first + ", " + second + " but " + theirs + ", " + theirSecond;
    }

    private static String differ(String what, byte[] ours, MemorySegment theirs) {
        long at = MemorySegment.ofArray(ours).mismatch(theirs);
        return at < 0 ? null : what + " differs at byte " + at + " of " + ours.length + " and " + theirs.byteSize();
    }

    // ---- random types

    /// Excludes types without elements, for which the libraries differ.
    private static Datatype random(SplittableRandom r, int depth) {
        if (depth == 0) return BASICS[r.nextInt(BASICS.length)];
        Datatype old = random(r, r.nextInt(depth));
        if (old.sizeBytes() > 400) return old;
        Datatype made = random(r, depth, old);
        return made.sizeBytes() == 0 ? old : made;
    }

    private static Datatype random(SplittableRandom r, int depth, Datatype old) {
        return switch (r.nextInt(10)) {
            case 0 -> old.contiguous(r.nextInt(1, 5));
            case 1, 2 -> {
                int block = r.nextInt(1, 4);
                // blocks with a negative stride have gaps: if they touched or overlapped, Open MPI 4.1.4 would
                // compute different bounds
                yield old.vector(r.nextInt(1, 5), block, r.nextBoolean() ? -block - r.nextInt(1, 3) : r.nextInt(7));
            }
            case 3 -> old.hvector(r.nextInt(1, 5), 1, 8L * r.nextInt(-9, 9));
            case 4 -> old.indexed(lengths(r, 3), places(r, 3));
            case 5 -> old.indexedBlock(2, places(r, 3));
            case 6 -> {
                Datatype other = random(r, r.nextInt(depth));
                yield Datatype.struct(
                        lengths(r, 2), new long[] {8L * r.nextInt(3), 256 + 8L * r.nextInt(3)}, old, other);
            }
            case 7 ->
                old.subarray(
                        new int[] {3, 4},
                        new int[] {2, 1 + r.nextInt(3)},
                        new int[] {1, r.nextInt(2)},
                        ArrayOrder.values()[r.nextInt(2)]);
            case 8 ->
                old.darray(
                        6,
                        r.nextInt(6),
                        new int[] {5, 7},
                        new Distribution[] {Distribution.values()[r.nextInt(2)], Distribution.values()[r.nextInt(2)]},
                        new int[] {Distribution.DEFAULT_ARGUMENT, Distribution.DEFAULT_ARGUMENT},
                        new int[] {2, 3},
                        ArrayOrder.values()[r.nextInt(2)]);
            default -> old.resized(8L * r.nextInt(-1, 2), Math.ceilDiv(old.extent(), 8) * 8 + 8L * r.nextInt(3));
        };
    }

    private static boolean isStructOfSetBounds(Datatype t) {
        List<Datatype> parts = t.contents().types();
        boolean struct = t.contents().combiner() == Combiner.STRUCT;
        return parts.stream().anyMatch(struct ? TypeOracle::hasSetBounds : TypeOracle::isStructOfSetBounds);
    }

    private static boolean hasSetBounds(Datatype t) {
        return switch (t.contents().combiner()) {
            case RESIZED, SUBARRAY, DARRAY -> true;
            default -> t.contents().types().stream().anyMatch(TypeOracle::hasSetBounds);
        };
    }

    private static int[] lengths(SplittableRandom r, int n) {
        return r.ints(n, 0, 4).toArray();
    }

    private static int[] places(SplittableRandom r, int n) {
        return r.ints(n, -4, 12).toArray();
    }

    // ---- the same types, created by the library

    /// A committed type.
    private long lower(Datatype t) throws Throwable {
        long made = make(t);
        if (t.isPredefined()) return made;
        Constants.ABI.writeHandle(out, made);
        ok(DatatypeFunctions.MPI_Type_commit(out));
        return Constants.ABI.readHandle(out);
    }

    private long make(Datatype t) throws Throwable {
        if (t.isPredefined()) return basic(t);
        TypeContents c = t.contents();
        List<Long> n = c.integers();
        long old = make(c.types().getFirst());
        MemorySegment made = arena.allocate(8, 8);
        switch (c.combiner()) {
            case CONTIGUOUS -> ok(DatatypeFunctions.MPI_Type_contiguous(integer(n, 0), old, made));
            case VECTOR -> ok((int) Calls.VECTOR.invokeExact(integer(n, 0), integer(n, 1), integer(n, 2), old, made));
            case HVECTOR ->
                ok((int) Calls.HVECTOR.invokeExact(
                        integer(n, 0), integer(n, 1), (long) c.addresses().getFirst(), old, made));
            case INDEXED -> {
                int count = integer(n, 0);
                ok((int) Calls.INDEXED.invokeExact(count, ints(n, 1, count), ints(n, 1 + count, count), old, made));
            }
            case INDEXED_BLOCK -> {
                int count = integer(n, 0);
                ok((int) Calls.INDEXED_BLOCK.invokeExact(count, integer(n, 1), ints(n, 2, count), old, made));
            }
            case STRUCT -> {
                int count = integer(n, 0);
                int width = (int) Constants.ABI.handle().byteSize();
                MemorySegment types = arena.allocate((long) count * width, 8);
                for (int i = 0; i < count; i++) {
                    long part = i == 0 ? old : make(c.types().get(i));
                    Constants.ABI.writeHandle(types.asSlice((long) i * width), part);
                }
                MemorySegment places = arena.allocateFrom(
                        JAVA_LONG,
                        c.addresses().stream().mapToLong(Long::longValue).toArray());
                ok(DatatypeFunctions.MPI_Type_create_struct(count, ints(n, 1, count), places, types, made));
                for (int i = 1; i < count; i++) {
                    free(c.types().get(i), Constants.ABI.readHandle(types.asSlice((long) i * width)));
                }
            }
            case SUBARRAY -> {
                int d = integer(n, 0);
                ok((int) Calls.SUBARRAY.invokeExact(
                        d,
                        ints(n, 1, d),
                        ints(n, 1 + d, d),
                        ints(n, 1 + 2 * d, d),
                        order(integer(n, 1 + 3 * d)),
                        old,
                        made));
            }
            case DARRAY -> {
                int d = integer(n, 2);
                MemorySegment ways = ints(n, 3 + d, d);
                for (int i = 0; i < d; i++) ways.setAtIndex(JAVA_INT, i, way(ways.getAtIndex(JAVA_INT, i)));
                ok((int) Calls.DARRAY.invokeExact(
                        integer(n, 0),
                        integer(n, 1),
                        d,
                        ints(n, 3, d),
                        ways,
                        arguments(n, d),
                        ints(n, 3 + 3 * d, d),
                        order(integer(n, 3 + 4 * d)),
                        old,
                        made));
            }
            case RESIZED ->
                ok((int) Calls.RESIZED.invokeExact(
                        old, (long) c.addresses().get(0), (long) c.addresses().get(1), made));
            case NAMED, DUP, HINDEXED, HINDEXED_BLOCK -> throw new IllegalStateException("not made here: " + t);
        }
        free(c.types().getFirst(), old);
        return Constants.ABI.readHandle(made);
    }

    private void free(Datatype t, long handle) {
        if (t.isPredefined()) return;
        Constants.ABI.writeHandle(out, handle);
        ok(DatatypeFunctions.MPI_Type_free(out));
    }

    private static long basic(Datatype t) {
        if (t == Datatype.BYTE) return Constants.MPI_INT8_T;
        if (t == Datatype.CHAR) return Constants.MPI_UINT16_T;
        if (t == Datatype.SHORT) return Constants.MPI_INT16_T;
        if (t == Datatype.INT) return Constants.MPI_INT32_T;
        if (t == Datatype.LONG) return Constants.MPI_INT64_T;
        return t == Datatype.FLOAT ? Constants.MPI_FLOAT : Constants.MPI_DOUBLE;
    }

    /// Returns the number that the library's mpi.h defines for an array order: `MPI_ORDER_C` or
    /// `MPI_ORDER_FORTRAN`.
    private int order(int ordinal) {
        return openMpi ? ordinal : 56 + ordinal;
    }

    private int way(int ordinal) {
        int[] numbers = openMpi ? new int[] {0, 1, 2} : new int[] {121, 122, 123};
        return numbers[ordinal];
    }

    private MemorySegment arguments(List<Long> n, int d) {
        MemorySegment arguments = ints(n, 3 + 2 * d, d);
        for (int i = 0; i < d; i++) arguments.setAtIndex(JAVA_INT, i, openMpi ? -1 : -49767);
        return arguments;
    }

    private static int integer(List<Long> n, int i) {
        return Math.toIntExact(n.get(i));
    }

    private MemorySegment ints(List<Long> n, int from, int count) {
        int[] part = n.subList(from, from + count).stream()
                .mapToInt(Math::toIntExact)
                .toArray();
        return arena.allocateFrom(JAVA_INT, part);
    }

    private static void ok(int rc) {
        if (rc != 0) throw new IllegalStateException("the library returned " + rc);
    }

    /// Functions that are bound when this class is first used, after the library has been loaded.
    private static final class Calls {
        static final MethodHandle SIZE = Link.link("MPI_Type_size", HANDLE, POINTER);
        static final MethodHandle EXTENT = Link.link("MPI_Type_get_extent", HANDLE, POINTER, POINTER);
        static final MethodHandle TRUE_EXTENT = Link.link("MPI_Type_get_true_extent", HANDLE, POINTER, POINTER);
        static final MethodHandle PACK = Link.link("MPI_Pack", POINTER, INT, HANDLE, POINTER, INT, POINTER, HANDLE);
        static final MethodHandle PACK_EXTERNAL =
                Link.link("MPI_Pack_external", POINTER, POINTER, INT, HANDLE, POINTER, ADDRESS_SIZED, POINTER);
        static final MethodHandle VECTOR = Link.link("MPI_Type_vector", INT, INT, INT, HANDLE, POINTER);
        static final MethodHandle HVECTOR =
                Link.link("MPI_Type_create_hvector", INT, INT, ADDRESS_SIZED, HANDLE, POINTER);
        static final MethodHandle INDEXED = Link.link("MPI_Type_indexed", INT, POINTER, POINTER, HANDLE, POINTER);
        static final MethodHandle INDEXED_BLOCK =
                Link.link("MPI_Type_create_indexed_block", INT, INT, POINTER, HANDLE, POINTER);
        static final MethodHandle SUBARRAY =
                Link.link("MPI_Type_create_subarray", INT, POINTER, POINTER, POINTER, INT, HANDLE, POINTER);
        static final MethodHandle DARRAY = Link.link(
                "MPI_Type_create_darray", INT, INT, INT, POINTER, POINTER, POINTER, POINTER, INT, HANDLE, POINTER);
        static final MethodHandle RESIZED =
                Link.link("MPI_Type_create_resized", HANDLE, ADDRESS_SIZED, ADDRESS_SIZED, POINTER);
    }
}
