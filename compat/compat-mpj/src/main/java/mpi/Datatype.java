package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;

/// A type of elements: one of the constants in [MPI], or a derived type. All parts of a type have the same base
/// type, and all sizes are counted in elements of the base type, not in bytes.
public abstract class Datatype implements Freeable {
    /// The code of the base type.
    public int baseType;

    final MpjElement element;

    /// The layout of elements in an array. An object has no layout, so it is represented here by its index in
    /// the array, an `int`.
    final org.tutti.mpi.Datatype layout;

    /// Creates a type that no call accepts. The usable types are the constants in [MPI], and types that the
    /// methods of this class create.
    public Datatype() {
        this(MpjElement.NULL, MpjElement.NULL.type);
    }

    private Datatype(MpjElement element, org.tutti.mpi.Datatype layout) {
        this.element = element;
        this.layout = layout;
        baseType = element.ordinal();
    }

    /// A type described by Tutti.
    private static final class Described extends Datatype {
        Described(MpjElement element, org.tutti.mpi.Datatype layout) {
            super(element, layout);
        }
    }

    static Datatype basic(MpjElement element) {
        return new Described(element, element.type);
    }

    /// Returns whether this is a basic type: a single element.
    final boolean isBasic() {
        return layout == element.type;
    }

    final boolean isObject() {
        return element == MpjElement.OBJECT;
    }

    /// Returns the array indices of `count` elements, from `offset`, in an object array of `length` entries.
    final int[] places(int length, int offset, int count) {
        int[] all = new int[length];
        for (int i = 0; i < length; i++) all[i] = i;
        Buf numbers = isBasic() ? Buf.buf(all, offset, count) : Buf.buf(all, offset, count, layout);
        byte[] packed = new Packer().add(numbers).toByteArray();
        int[] places = new int[packed.length / Integer.BYTES];
        ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder()).asIntBuffer().get(places);
        return places;
    }

    /// Returns the index at which elements must start in a temporary array, so that no part of the first
    /// element is before the start of the array.
    final int origin() {
        return Math.max(0, -inElements(layout.trueLowerBound()));
    }

    /// Returns the length of a temporary array for `count` elements that start at [#origin].
    final int span(int count) {
        long end = layout.trueLowerBound() + layout.trueExtent() + Math.max(0, layout.extent()) * count;
        return origin() + Math.max(0, inElements(end));
    }

    /// Creates a type of `count` contiguous elements.
    public static Datatype Contiguous(int count, Datatype type) throws MPIException {
        try {
            return type.made("Contiguous", type.layout.contiguous(count));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a type of `count` blocks of `blocklength` elements; a block starts `stride` elements after the
    /// start of the previous one.
    public static Datatype Vector(int count, int blocklength, int stride, Datatype type) throws MPIException {
        try {
            return type.made("Vector", type.layout.vector(count, blocklength, stride));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Vector], with a stride in elements of the base type.
    public static Datatype Hvector(int count, int blocklength, int stride, Datatype type) throws MPIException {
        try {
            return type.made("Hvector", type.layout.hvector(count, blocklength, type.inBytes(stride)));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a type of blocks of elements at these displacements, in elements of `type`.
    public static Datatype Indexed(int[] blocklengths, int[] displacements, Datatype type) throws MPIException {
        try {
            return type.made("Indexed", type.layout.indexed(blocklengths, displacements));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Indexed], with displacements in elements of the base type.
    public static Datatype Hindexed(int[] blocklengths, int[] displacements, Datatype type) throws MPIException {
        long[] bytes = Arrays.stream(displacements).mapToLong(type::inBytes).toArray();
        try {
            return type.made("Hindexed", type.layout.hindexed(blocklengths, bytes));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Creates a type of blocks of several types with the same base type, at displacements in elements of the
    /// base type. [MPI#LB] and [MPI#UB] set the bounds of an element.
    public static Datatype Struct(int[] blocklengths, int[] displacements, Datatype[] types) throws MPIException {
        List<Integer> parts = new ArrayList<>();
        MpjElement base = null;
        @Nullable Integer low = null;
        @Nullable Integer high = null;
        for (int i = 0; i < types.length; i++) {
            MpjElement element = types[i].element;
            if (element == MpjElement.LB) {
                low = low == null ? displacements[i] : Math.min(low, displacements[i]);
            } else if (element == MpjElement.UB) {
                high = high == null ? displacements[i] : Math.max(high, displacements[i]);
            } else if (base != null && element != base) {
                throw new MPIException("Struct: types[" + i + "] is of " + element + " but one before is of " + base
                        + "; all parts of a type must have the same base type");
            } else {
                base = element;
                parts.add(i);
            }
        }
        if (base == null) return empty(low, high);
        int[] lengths = parts.stream().mapToInt(i -> blocklengths[i]).toArray();
        long size = base.bytes;
        long[] places = parts.stream().mapToLong(i -> displacements[i] * size).toArray();
        org.tutti.mpi.Datatype[] layouts =
                parts.stream().map(i -> types[i].layout).toArray(org.tutti.mpi.Datatype[]::new);
        try {
            org.tutti.mpi.Datatype made = org.tutti.mpi.Datatype.struct(lengths, places, layouts);
            if (low != null || high != null) {
                long from = low == null ? made.lowerBound() : low * size;
                long to = high == null ? made.upperBound() : high * size;
                made = made.resized(from, to - from);
            }
            return types[parts.getFirst()].made("Struct", made);
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns a type without data, with the bounds set by [MPI#LB] and [MPI#UB], in bytes.
    private static Datatype empty(@Nullable Integer low, @Nullable Integer high) {
        int from = low == null ? 0 : low;
        int to = high == null ? from : high;
        org.tutti.mpi.Datatype layout = MpjElement.BYTE.type.contiguous(0).resized(from, to - from);
        return new Described(MpjElement.BYTE, layout);
    }

    private Datatype made(String operation, org.tutti.mpi.Datatype made) {
        if (element.isData() && element != MpjElement.PACKED) return new Described(element, made);
        throw new MPIException(operation + ": no type can be derived from " + element);
    }

    private long inBytes(int elements) {
        return (long) elements * element.bytes;
    }

    private int inElements(long bytes) {
        return Math.toIntExact(bytes / element.bytes);
    }

    /// Has no effect: a type is complete after creation.
    public void Commit() throws MPIException {}

    /// Returns the extent of an element, in elements of the base type.
    public int Extent() throws MPIException {
        return inElements(layout.extent());
    }

    /// Returns the lower bound of an element, in elements of the base type.
    public int Lb() throws MPIException {
        return inElements(layout.lowerBound());
    }

    /// Returns the upper bound of an element, in elements of the base type.
    public int Ub() throws MPIException {
        return inElements(layout.upperBound());
    }

    /// Returns the number of elements of the base type in one element.
    public int Size() throws MPIException {
        return inElements(layout.sizeBytes());
    }

    /// Returns the size of an element in bytes; for objects, which have no fixed size, the size of an `int`
    /// index for each object.
    public int getByteSize() {
        return Math.toIntExact(layout.sizeBytes());
    }

    /// Returns the code of the base type.
    public int getType() {
        return baseType;
    }

    /// Has no effect.
    @Override
    public void free() {}

    /// Returns the name for error texts.
    final String text() {
        return isBasic() ? "MPI." + element : layout.toString();
    }
}
