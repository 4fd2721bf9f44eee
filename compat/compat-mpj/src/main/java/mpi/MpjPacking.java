package mpi;

import java.lang.foreign.MemorySegment;
import mpjbuf.Buffer;
import mpjbuf.BufferException;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Packer;

/// Converts elements to sections of an [mpjbuf.Buffer].
final class MpjPacking {
    private static final int HEADER_BYTES = 8;

    private MpjPacking() {}

    static int size(int count, Datatype type) {
        return HEADER_BYTES + (type.isObject() ? 0 : count * type.getByteSize());
    }

    static int pack(Object buf, int offset, int count, Datatype type, Buffer out) {
        checkType("Pack", buf, count, type);
        try {
            out.putSectionHeader(type.element.section);
            if (type.isBasic()) {
                write(out, buf, offset, count);
            } else {
                Object dense = dense("Pack", buf, offset, count, type);
                write(out, dense, 0, MpjData.length(dense));
            }
            return out.getSize();
        } catch (BufferException | MpiException | IndexOutOfBoundsException e) {
            throw MPIException.of("Pack: " + e.getMessage(), e);
        }
    }

    static int unpack(Buffer in, int position, Object buf, int offset, int count, Datatype type) {
        checkType("Unpack", buf, count, type);
        try {
            if (position == 0) in.commit();
            in.getSectionHeader();
            if (type.isBasic()) {
                read(in, buf, offset, count);
            } else {
                Object dense = type.element.newArray(count * type.Size());
                read(in, dense, 0, MpjData.length(dense));
                spread(dense, buf, offset, count, type);
            }
            return position + size(count, type);
        } catch (BufferException | MpiException | IndexOutOfBoundsException e) {
            throw MPIException.of("Unpack: " + e.getMessage(), e);
        }
    }

    private static void checkType(String operation, Object buf, int count, Datatype type) {
        MpjData.check(operation, buf, count, type);
        if (type.element == MpjElement.PACKED)
            throw new MPIException(operation + ": packed data cannot be packed again");
    }

    /// Returns the elements without gaps.
    private static Object dense(String operation, Object buf, int offset, int count, Datatype type) {
        if (!(buf instanceof Object[] objects)) {
            return MpjData.packedArray(MpjData.of(operation, buf, offset, count, type), type.element);
        }
        int[] places = type.places(objects.length, offset, count);
        Object[] dense = new Object[places.length];
        for (int i = 0; i < dense.length; i++) dense[i] = objects[places[i]];
        return dense;
    }

    private static void spread(Object dense, Object buf, int offset, int count, Datatype type) {
        if (buf instanceof Object[] objects) {
            int[] places = type.places(objects.length, offset, count);
            for (int i = 0; i < places.length; i++) objects[places[i]] = ((Object[]) dense)[i];
            return;
        }
        Datatype basic = Datatype.basic(type.element);
        byte[] packed = new Packer()
                .add(MpjData.of("Unpack", dense, 0, MpjData.length(dense), basic))
                .toByteArray();
        MpjData.unpack(MemorySegment.ofArray(packed), MpjData.of("Unpack", buf, offset, count, type));
    }

    private static void write(Buffer out, Object array, int offset, int count) {
        switch (array) {
            case byte[] a -> out.write(a, offset, count);
            case char[] a -> out.write(a, offset, count);
            case short[] a -> out.write(a, offset, count);
            case boolean[] a -> out.write(a, offset, count);
            case int[] a -> out.write(a, offset, count);
            case long[] a -> out.write(a, offset, count);
            case float[] a -> out.write(a, offset, count);
            case double[] a -> out.write(a, offset, count);
            case Object[] a -> out.write(a, offset, count);
            default -> throw new AssertionError(array);
        }
    }

    private static void read(Buffer in, Object array, int offset, int count) {
        switch (array) {
            case byte[] a -> in.read(a, offset, count);
            case char[] a -> in.read(a, offset, count);
            case short[] a -> in.read(a, offset, count);
            case boolean[] a -> in.read(a, offset, count);
            case int[] a -> in.read(a, offset, count);
            case long[] a -> in.read(a, offset, count);
            case float[] a -> in.read(a, offset, count);
            case double[] a -> in.read(a, offset, count);
            case Object[] a -> in.read(a, offset, count);
            default -> throw new AssertionError(array);
        }
    }
}
