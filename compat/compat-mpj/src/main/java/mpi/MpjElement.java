package mpi;

import java.util.function.IntFunction;
import mpjbuf.Type;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;

/// The base types. The ordinal of a type is the code that the original stores in [Datatype#baseType].
enum MpjElement {
    NULL(Datatype.BYTE, null, null),
    BYTE(Datatype.BYTE, byte[]::new, Type.BYTE),
    CHAR(Datatype.CHAR, char[]::new, Type.CHAR),
    SHORT(Datatype.SHORT, short[]::new, Type.SHORT),
    BOOLEAN(Datatype.BOOLEAN, boolean[]::new, Type.BOOLEAN),
    INT(Datatype.INT, int[]::new, Type.INT),
    LONG(Datatype.LONG, long[]::new, Type.LONG),
    FLOAT(Datatype.FLOAT, float[]::new, Type.FLOAT),
    DOUBLE(Datatype.DOUBLE, double[]::new, Type.DOUBLE),
    /// The contents of an [mpjbuf.Buffer].
    PACKED(Datatype.PACKED, null, null),
    LB(Datatype.BYTE, null, null),
    UB(Datatype.BYTE, null, null),
    /// Objects are sent as serialized bytes. In a layout, an object is represented by its index in the array,
    /// an `int`.
    OBJECT(Datatype.INT, Object[]::new, Type.OBJECT);

    /// The size of an element of the layout, in bytes.
    final int bytes;

    final Datatype type;
    private final @Nullable IntFunction<Object> arrays;

    /// The type of a section in an [mpjbuf.Buffer].
    final @Nullable Type section;

    MpjElement(Datatype type, @Nullable IntFunction<Object> arrays, @Nullable Type section) {
        this.type = type;
        this.arrays = arrays;
        this.section = section;
        bytes = (int) type.sizeBytes();
    }

    /// Returns whether a buffer can consist of elements of this type, which excludes `NULL`, `LB` and `UB`.
    boolean isData() {
        return arrays != null || this == PACKED;
    }

    Object newArray(int length) {
        if (arrays == null) throw new MPIException("no arrays of " + this);
        return arrays.apply(length);
    }

    boolean isArray(Object array) {
        return switch (this) {
            case BYTE -> array instanceof byte[];
            case CHAR -> array instanceof char[];
            case SHORT -> array instanceof short[];
            case BOOLEAN -> array instanceof boolean[];
            case INT -> array instanceof int[];
            case LONG -> array instanceof long[];
            case FLOAT -> array instanceof float[];
            case DOUBLE -> array instanceof double[];
            case OBJECT -> array instanceof Object[];
            case PACKED -> array instanceof mpjbuf.Buffer;
            case NULL, LB, UB -> false;
        };
    }

    /// Returns the required class of a buffer, for error texts.
    String buffer() {
        return switch (this) {
            case NULL, LB, UB -> "nothing";
            case OBJECT -> "an Object[]";
            case PACKED -> "an mpjbuf.Buffer";
            case INT -> "an int[]";
            default -> "a " + name().toLowerCase(java.util.Locale.ROOT) + "[]";
        };
    }
}
