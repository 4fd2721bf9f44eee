package mpjbuf;

/// The type of a section in a [Buffer].
public final class Type {
    public static final Type BYTE = new Type("BYTE", 1, Byte.BYTES);
    public static final Type CHAR = new Type("CHAR", 2, Character.BYTES);
    public static final Type SHORT = new Type("SHORT", 3, Short.BYTES);
    public static final Type BOOLEAN = new Type("BOOLEAN", 4, 1);
    public static final Type INT = new Type("INT", 5, Integer.BYTES);
    public static final Type LONG = new Type("LONG", 6, Long.BYTES);
    public static final Type FLOAT = new Type("FLOAT", 7, Float.BYTES);
    public static final Type DOUBLE = new Type("DOUBLE", 8, Double.BYTES);

    /// An object has no fixed size: [Buffer] writes the length before the bytes of each object.
    public static final Type OBJECT = new Type("OBJECT", 12, 0);

    private static final Type[] ALL = {BYTE, CHAR, SHORT, BOOLEAN, INT, LONG, FLOAT, DOUBLE, OBJECT};

    private final String name;
    final int code;
    final int bytes;

    private Type(String name, int code, int bytes) {
        this.name = name;
        this.code = code;
        this.bytes = bytes;
    }

    static Type of(int code) {
        for (Type t : ALL) if (t.code == code) return t;
        throw new BufferException("getSectionHeader: no section here, but a number " + code);
    }

    @Override
    public String toString() {
        return name;
    }
}
