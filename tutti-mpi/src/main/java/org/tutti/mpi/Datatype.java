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

    private static final Datatype[] BY_CODE = {PACKED, BYTE, BOOLEAN, CHAR, SHORT, INT, LONG, FLOAT, DOUBLE, PACKED};

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
