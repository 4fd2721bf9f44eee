package mpi;

import java.util.function.Supplier;
import org.tutti.mpi.MpiException;

/// The type of a buffer's elements. Each object has two types of Tutti: one of bytes, with which elements are
/// sent, and the real one, with which elements are counted.
///
/// The methods return extents, bounds and sizes in elements of the base type, which for a struct is a byte.
public final class Datatype implements Freeable, Cloneable {
    /// The type with which elements are sent: bytes, with the layout of the real type.
    final org.tutti.mpi.Datatype bytes;

    /// The real type.
    final org.tutti.mpi.Datatype real;

    /// The number of elements of the type `bytes` in one element of this type: the size of this type if `bytes`
    /// is `BYTE`, otherwise 1.
    final int scale;

    /// The type of operands in reductions; null if operands have the type `bytes`.
    final org.tutti.mpi.Datatype reduced;

    /// The predefined type from which this type is derived; `BYTE` for a struct. The base type of a predefined
    /// type is the type itself.
    private final Datatype base;

    private final int baseBytes;
    private final Attributes attributes;
    private String name;
    private boolean isNull;

    /// Creates `DATATYPE_NULL`.
    Datatype() {
        this("MPI_DATATYPE_NULL", org.tutti.mpi.Datatype.BYTE, 0, null, 1);
        isNull = true;
    }

    /// Creates a predefined type of `size` bytes without gaps, with the type `reduced` for reductions.
    ///
    /// @param baseBytes unit of extents
    Datatype(String name, org.tutti.mpi.Datatype real, int size, org.tutti.mpi.Datatype reduced, int baseBytes) {
        this.name = name;
        this.real = real;
        this.reduced = reduced;
        this.baseBytes = baseBytes;
        bytes = org.tutti.mpi.Datatype.BYTE;
        scale = size;
        base = this;
        attributes = new Attributes(Attributes.Kind.DATATYPE);
    }

    /// Creates a pair of a value and an index.
    static Datatype pair(String name, org.tutti.mpi.Datatype value, long placeAt, org.tutti.mpi.Datatype reduced) {
        int[] ones = {1, 1};
        long[] at = {0, placeAt};
        org.tutti.mpi.Datatype real = org.tutti.mpi.Datatype.struct(ones, at, value, org.tutti.mpi.Datatype.INT);
        int[] sizes = {(int) value.sizeBytes(), Integer.BYTES};
        org.tutti.mpi.Datatype bytes = likeReal(
                org.tutti.mpi.Datatype.struct(sizes, at, org.tutti.mpi.Datatype.BYTE, org.tutti.mpi.Datatype.BYTE),
                real);
        return new Datatype(
                name, bytes, real, reduced == null ? real : reduced, null, 1, new Attributes(Attributes.Kind.DATATYPE));
    }

    /// Creates a derived type.
    private Datatype(
            String name,
            org.tutti.mpi.Datatype bytes,
            org.tutti.mpi.Datatype real,
            org.tutti.mpi.Datatype reduced,
            Datatype base,
            int baseBytes,
            Attributes attributes) {
        this.name = name;
        this.bytes = bytes;
        this.real = real;
        this.reduced = reduced;
        this.base = base == null ? this : base;
        this.baseBytes = baseBytes;
        this.attributes = attributes;
        scale = 1;
    }

    /// Returns `bytes` with the lower bound and the extent of the real type, which may include padding for
    /// alignment; bytes have no alignment.
    private static org.tutti.mpi.Datatype likeReal(org.tutti.mpi.Datatype bytes, org.tutti.mpi.Datatype real) {
        boolean same = bytes.extent() == real.extent() && bytes.lowerBound() == real.lowerBound();
        return same ? bytes : bytes.resized(real.lowerBound(), real.extent());
    }

    /// Returns one element, as a type of bytes.
    org.tutti.mpi.Datatype element() {
        return bytes == org.tutti.mpi.Datatype.BYTE ? bytes.contiguous(scale) : bytes;
    }

    private interface Maker {
        org.tutti.mpi.Datatype make(org.tutti.mpi.Datatype old);
    }

    private static Datatype made(Datatype old, Maker maker) throws MPIException {
        old.checkThere();
        try {
            org.tutti.mpi.Datatype real = maker.make(old.real);
            org.tutti.mpi.Datatype bytes = likeReal(maker.make(old.element()), real);
            return new Datatype(
                    "", bytes, real, null, old.base, old.baseBytes, new Attributes(Attributes.Kind.DATATYPE));
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    /// Checks the type in methods of datatypes, which use the error handler of `COMM_WORLD`.
    final void checkThere() throws MPIException {
        try {
            checkUsable();
        } catch (Mistake e) {
            throw Failures.of(e);
        }
    }

    /// Checks the type in calls that have an error handler.
    final void checkUsable() {
        if (isNull) throw new Mistake(MPI.ERR_TYPE, "MPI_ERR_TYPE: the datatype is null, or was freed");
    }

    public static Datatype createContiguous(int count, Datatype old) throws MPIException {
        return made(old, t -> t.contiguous(count));
    }

    public static Datatype createVector(int count, int blockLength, int stride, Datatype old) throws MPIException {
        return made(old, t -> t.vector(count, blockLength, stride));
    }

    public static Datatype createHVector(int count, int blockLength, int stride, Datatype old) throws MPIException {
        return made(old, t -> t.hvector(count, blockLength, stride));
    }

    public static Datatype createIndexed(int[] blockLengths, int[] displacements, Datatype old) throws MPIException {
        return made(old, t -> t.indexed(blockLengths, displacements));
    }

    public static Datatype createHIndexed(int[] blockLengths, int[] displacements, Datatype old) throws MPIException {
        return made(old, t -> t.hindexed(blockLengths, Data.longs(displacements)));
    }

    public static Datatype createResized(Datatype old, int lb, int extent) throws MPIException {
        return made(old, t -> t.resized(lb, extent));
    }

    public static Datatype createStruct(int[] blockLengths, int[] displacements, Datatype[] types) throws MPIException {
        org.tutti.mpi.Datatype[] reals = new org.tutti.mpi.Datatype[types.length];
        org.tutti.mpi.Datatype[] elements = new org.tutti.mpi.Datatype[types.length];
        for (int i = 0; i < types.length; i++) {
            types[i].checkThere();
            reals[i] = types[i].real;
            elements[i] = types[i].element();
        }
        long[] at = Data.longs(displacements);
        try {
            org.tutti.mpi.Datatype real = org.tutti.mpi.Datatype.struct(blockLengths, at, reals);
            org.tutti.mpi.Datatype bytes = likeReal(org.tutti.mpi.Datatype.struct(blockLengths, at, elements), real);
            return new Datatype("", bytes, real, null, MPI.BYTE, 1, new Attributes(Attributes.Kind.DATATYPE));
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    /// Only checks the type, because a type is complete after creation.
    public void commit() throws MPIException {
        checkThere();
    }

    @Override
    public void free() throws MPIException {
        checkThere();
        if (base == this) throw Failures.of(MPI.ERR_TYPE, "MPI_ERR_TYPE: " + name + " is predefined");
        isNull = true;
        attributes.clear();
    }

    public boolean isNull() {
        return isNull;
    }

    public Datatype dup() throws MPIException {
        checkThere();
        return copy();
    }

    @Override
    public Datatype clone() {
        return copy();
    }

    private Datatype copy() {
        return new Datatype(name, element(), real, reduced, base, baseBytes, attributes.copy());
    }

    /// Returns the base type, which determines the class of arrays.
    Datatype base() {
        return base;
    }

    /// Returns the distance between elements, in bytes.
    int extentBytes() {
        return (int) (scale == 1 && bytes != org.tutti.mpi.Datatype.BYTE ? bytes.extent() : scale);
    }

    /// Returns the size of an element in a message, in bytes.
    long sizeBytes() {
        return scale * bytes.sizeBytes();
    }

    public int getExtent() throws MPIException {
        return inBase(this::extentBytes);
    }

    public int getSize() throws MPIException {
        return inBase(this::sizeBytes);
    }

    public int getLb() throws MPIException {
        return inBase(bytes::lowerBound);
    }

    public int getTrueExtent() throws MPIException {
        return inBase(() -> scale * bytes.trueExtent());
    }

    public int getTrueLb() throws MPIException {
        return inBase(bytes::trueLowerBound);
    }

    private int inBase(Supplier<? extends Number> number) throws MPIException {
        checkThere();
        return (int) (number.get().longValue() / baseBytes);
    }

    public String getName() throws MPIException {
        checkThere();
        return name;
    }

    public void setName(String newName) throws MPIException {
        checkThere();
        name = newName;
    }

    public static int createKeyval() throws MPIException {
        return Attributes.createKey(Attributes.Kind.DATATYPE);
    }

    public static void freeKeyval(int key) throws MPIException {
        Attributes.freeKey(Attributes.Kind.DATATYPE, key);
    }

    public Object getAttr(int key) throws MPIException {
        checkThere();
        try {
            return attributes.get(key);
        } catch (Mistake e) {
            throw Failures.of(e);
        }
    }

    public void setAttr(int key, Object value) throws MPIException {
        checkThere();
        try {
            attributes.set(key, value);
        } catch (Mistake e) {
            throw Failures.of(e);
        }
    }

    public void deleteAttr(int key) throws MPIException {
        checkThere();
        try {
            attributes.delete(key);
        } catch (Mistake e) {
            throw Failures.of(e);
        }
    }
}
