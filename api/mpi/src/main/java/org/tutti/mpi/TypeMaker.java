package org.tutti.mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.tutti.spi.type.Signature;
import org.tutti.spi.type.TypeMap;

/// Creates derived types: checks the arguments, and computes type map, signature and bounds. MPI 4.1, sections
/// 5.1.2 and 5.1.7.
final class TypeMaker {
    private TypeMaker() {}

    static Datatype contiguous(Datatype old, long count) {
        String what = "contiguous";
        checkCount(what, "count", count);
        return counted(what, () -> {
            TypeBounds bounds = new TypeBounds();
            bounds.addLoop(old, count, old.extent());
            return bounds.type(
                    contents(Combiner.CONTIGUOUS, List.of(count), List.of(), old),
                    old.map().loop(count, old.extent()),
                    old.signature().times(count));
        });
    }

    static Datatype vector(Datatype old, long count, long blockLength, long stride) {
        String what = "vector";
        TypeContents contents = contents(Combiner.VECTOR, List.of(count, blockLength, stride), List.of(), old);
        return strided(what, contents, old, count, blockLength, stride, old.extent());
    }

    static Datatype hvector(Datatype old, long count, long blockLength, long strideBytes) {
        String what = "hvector";
        TypeContents contents = contents(Combiner.HVECTOR, List.of(count, blockLength), List.of(strideBytes), old);
        return strided(what, contents, old, count, blockLength, strideBytes, 1);
    }

    private static Datatype strided(
            String what, TypeContents contents, Datatype old, long count, long blockLength, long stride, long unit) {
        checkCount(what, "count", count);
        checkCount(what, "blockLength", blockLength);
        return counted(what, () -> {
            long step = Math.multiplyExact(stride, unit);
            TypeBounds bounds = new TypeBounds();
            bounds.addLoops(old, count, step, blockLength, old.extent());
            TypeMap map = old.map().loop(blockLength, old.extent()).loop(count, step);
            Signature signature = old.signature().times(Math.multiplyExact(count, blockLength));
            return bounds.type(contents, map, signature);
        });
    }

    static Datatype indexed(Datatype old, int[] blockLengths, int[] displacements) {
        Arguments.given("indexed", "blockLengths", blockLengths);
        Arguments.given("indexed", "displacements", displacements);
        String what = "indexed";
        checkLengths(what, "blockLengths", blockLengths.length, "displacements", displacements.length);
        TypeContents contents = contents(
                Combiner.INDEXED,
                numbers(blockLengths.length, longs(blockLengths), longs(displacements)),
                List.of(),
                old);
        return blocks(what, contents, old, longs(blockLengths), longs(displacements), old.extent());
    }

    static Datatype hindexed(Datatype old, int[] blockLengths, long[] displacementsBytes) {
        Arguments.given("hindexed", "blockLengths", blockLengths);
        Arguments.given("hindexed", "displacementsBytes", displacementsBytes);
        String what = "hindexed";
        checkLengths(what, "blockLengths", blockLengths.length, "displacements", displacementsBytes.length);
        TypeContents contents = contents(
                Combiner.HINDEXED, numbers(blockLengths.length, longs(blockLengths)), list(displacementsBytes), old);
        return blocks(what, contents, old, longs(blockLengths), displacementsBytes, 1);
    }

    static Datatype indexedBlock(Datatype old, int blockLength, int[] displacements) {
        Arguments.given("indexedBlock", "displacements", displacements);
        TypeContents contents = contents(
                Combiner.INDEXED_BLOCK,
                numbers(displacements.length, new long[] {blockLength}, longs(displacements)),
                List.of(),
                old);
        return blocks(
                "indexedBlock",
                contents,
                old,
                equal(blockLength, displacements.length),
                longs(displacements),
                old.extent());
    }

    static Datatype hindexedBlock(Datatype old, int blockLength, long[] displacementsBytes) {
        Arguments.given("hindexedBlock", "displacementsBytes", displacementsBytes);
        TypeContents contents = contents(
                Combiner.HINDEXED_BLOCK,
                numbers(displacementsBytes.length, new long[] {blockLength}),
                list(displacementsBytes),
                old);
        return blocks(
                "hindexedBlock", contents, old, equal(blockLength, displacementsBytes.length), displacementsBytes, 1);
    }

    private static Datatype blocks(
            String what, TypeContents contents, Datatype old, long[] lengths, long[] displacements, long unit) {
        for (int i = 0; i < lengths.length; i++) checkCount(what, "blockLengths[" + i + "]", lengths[i]);
        return counted(what, () -> {
            long[] offsets = new long[lengths.length];
            TypeBounds bounds = new TypeBounds();
            long count = 0;
            for (int i = 0; i < lengths.length; i++) {
                offsets[i] = Math.multiplyExact(displacements[i], unit);
                bounds.at(offsets[i]).addLoop(old, lengths[i], old.extent());
                count = Math.addExact(count, lengths[i]);
            }
            TypeMap map = old.map().blocks(lengths, offsets, old.extent());
            return bounds.type(contents, map, old.signature().times(count));
        });
    }

    static Datatype struct(int[] blockLengths, long[] displacementsBytes, Datatype[] types) {
        Arguments.given("struct", "blockLengths", blockLengths);
        Arguments.given("struct", "displacementsBytes", displacementsBytes);
        Arguments.given("struct", "types", types);
        String what = "struct";
        checkLengths(what, "blockLengths", blockLengths.length, "displacements", displacementsBytes.length);
        checkLengths(what, "blockLengths", blockLengths.length, "types", types.length);
        for (int i = 0; i < types.length; i++) checkCount(what, "blockLengths[" + i + "]", blockLengths[i]);
        return counted(what, () -> {
            TypeBounds bounds = new TypeBounds();
            List<TypeMap> parts = new ArrayList<>();
            Signature[] signatures = new Signature[types.length];
            for (int i = 0; i < types.length; i++) {
                Datatype t = types[i];
                bounds.at(displacementsBytes[i]).addLoop(t, blockLengths[i], t.extent());
                parts.add(t.map().loop(blockLengths[i], t.extent()).moved(displacementsBytes[i]));
                signatures[i] = t.signature().times(blockLengths[i]);
            }
            TypeContents contents = contents(
                    Combiner.STRUCT, numbers(types.length, longs(blockLengths)), list(displacementsBytes), types);
            return bounds.type(contents, TypeMap.parts(parts), Signature.concat(signatures));
        });
    }

    static Datatype resized(Datatype old, long lowerBound, long extent) {
        return counted(
                "resized",
                () -> new Datatype(
                        null,
                        contents(Combiner.RESIZED, List.of(), List.of(lowerBound, extent), old),
                        old.map(),
                        old.signature(),
                        new Datatype.Bounds(
                                lowerBound,
                                Math.addExact(lowerBound, extent),
                                true,
                                old.bounds().alignment())));
    }

    // ---- arguments

    /// Creates a type. A value that does not fit into a `long` is reported as an error of the arguments.
    static Datatype counted(String what, Supplier<Datatype> made) {
        try {
            return made.get();
        } catch (ArithmeticException e) {
            throw MpiException.argument(ErrorClass.ERR_ARG, what, "the type would exceed 2^63 - 1 bytes", null);
        }
    }

    private static void checkCount(String what, String name, long count) {
        if (count >= 0) return;
        throw MpiException.argument(ErrorClass.ERR_COUNT, what, name + "=" + count + " is negative", null);
    }

    static void checkLengths(String what, String name, int length, String other, int otherLength) {
        if (length == otherLength) return;
        throw MpiException.argument(
                ErrorClass.ERR_ARG, what, length + " " + name + " but " + otherLength + " " + other, null);
    }

    static TypeContents contents(Combiner combiner, List<Long> integers, List<Long> addresses, Datatype... types) {
        return new TypeContents(combiner, integers, addresses, List.of(types));
    }

    /// Returns a list of `first`, followed by the other numbers.
    static List<Long> numbers(long first, long[]... others) {
        LongStream rest = Arrays.stream(others).flatMapToLong(Arrays::stream);
        return LongStream.concat(LongStream.of(first), rest).boxed().toList();
    }

    private static List<Long> list(long[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    static long[] longs(int[] numbers) {
        return Arrays.stream(numbers).asLongStream().toArray();
    }

    static long[] longs(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    /// Converts `count` numbers, starting at index `from`, to `int`.
    static int[] ints(long[] numbers, int from, int count) {
        return Arrays.stream(numbers, from, from + count)
                .mapToInt(Math::toIntExact)
                .toArray();
    }

    private static long[] equal(long value, int count) {
        long[] all = new long[count];
        Arrays.fill(all, value);
        return all;
    }
}
