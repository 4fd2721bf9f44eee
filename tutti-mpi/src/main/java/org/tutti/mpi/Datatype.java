package org.tutti.mpi;

/// The type of a buffer's elements. Equal types are the same object.
///
/// Not here yet: derived types (MPI 4.1, chapter 5).
public final class Datatype {
    public static final Datatype BYTE = new Datatype("BYTE", 1, 1);
    public static final Datatype BOOLEAN = new Datatype("BOOLEAN", 2, 1);
    public static final Datatype CHAR = new Datatype("CHAR", 3, 2);
    public static final Datatype SHORT = new Datatype("SHORT", 4, 2);
    public static final Datatype INT = new Datatype("INT", 5, 4);
    public static final Datatype LONG = new Datatype("LONG", 6, 8);
    public static final Datatype FLOAT = new Datatype("FLOAT", 7, 4);
    public static final Datatype DOUBLE = new Datatype("DOUBLE", 8, 8);

    /// Bytes that only their sender and receiver understand; what objects travel as.
    public static final Datatype PACKED = new Datatype("PACKED", 9, 1);

    /// Two `double`s, real and imaginary part.
    public static final Datatype DOUBLE_COMPLEX = new Datatype("DOUBLE_COMPLEX", 10, 16);

    /// Two `float`s, real and imaginary part.
    public static final Datatype FLOAT_COMPLEX = new Datatype("FLOAT_COMPLEX", 11, 8);

    /// A value and a place, for `MINLOC` and `MAXLOC`: a `double`, an `int`, four bytes of nothing.
    public static final Datatype DOUBLE_INT = new Datatype("DOUBLE_INT", 12, 16);

    /// A `long`, an `int`, four bytes of nothing.
    public static final Datatype LONG_INT = new Datatype("LONG_INT", 13, 16);

    /// A `float` and an `int`.
    public static final Datatype FLOAT_INT = new Datatype("FLOAT_INT", 14, 8);

    /// Two `int`s, the value and the place.
    public static final Datatype INT_INT = new Datatype("INT_INT", 15, 8);

    private static final Datatype[] BY_CODE = {
        PACKED,
        BYTE,
        BOOLEAN,
        CHAR,
        SHORT,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        PACKED,
        DOUBLE_COMPLEX,
        FLOAT_COMPLEX,
        DOUBLE_INT,
        LONG_INT,
        FLOAT_INT,
        INT_INT
    };

    private final String name;
    private final int code;
    private final int bytes;

    private Datatype(String name, int code, int bytes) {
        this.name = name;
        this.code = code;
        this.bytes = bytes;
    }

    public String name() {
        return name;
    }

    /// The size of one element.
    public int bytes() {
        return bytes;
    }

    boolean isWholeNumber() {
        return this == BYTE || this == CHAR || this == SHORT || this == INT || this == LONG;
    }

    boolean isNumber() {
        return isWholeNumber() || this == FLOAT || this == DOUBLE;
    }

    boolean isComplex() {
        return this == DOUBLE_COMPLEX || this == FLOAT_COMPLEX;
    }

    /// A value and its place.
    boolean isPair() {
        return this == DOUBLE_INT || this == LONG_INT || this == FLOAT_INT || this == INT_INT;
    }

    /// A small number that stands for this type in envelopes and switches; the same on all ranks.
    public int code() {
        return code;
    }

    /// The type with this [#code].
    public static Datatype ofCode(int code) {
        return BY_CODE[code];
    }

    @Override
    public String toString() {
        return name;
    }
}
