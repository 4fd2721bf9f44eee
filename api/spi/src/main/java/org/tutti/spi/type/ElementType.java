package org.tutti.spi.type;

/// One element of a buffer, as engines use it: the length in a message, the basic types, and the name in error
/// messages. A [Layout] describes the positions of the element's bytes in a buffer.
///
/// Each derived datatype has a separate object; the constants are the *basic* types.
public final class ElementType {
    public static final ElementType BYTE = new ElementType("BYTE", 1, 1);
    public static final ElementType BOOLEAN = new ElementType("BOOLEAN", 2, 1);
    public static final ElementType CHAR = new ElementType("CHAR", 3, 2);
    public static final ElementType SHORT = new ElementType("SHORT", 4, 2);
    public static final ElementType INT = new ElementType("INT", 5, 4);
    public static final ElementType LONG = new ElementType("LONG", 6, 8);
    public static final ElementType FLOAT = new ElementType("FLOAT", 7, 4);
    public static final ElementType DOUBLE = new ElementType("DOUBLE", 8, 8);

    /// The bytes of an encoded object.
    public static final ElementType OBJECT = new ElementType("bytes of an object", 9, 1);

    public static final ElementType DOUBLE_COMPLEX = new ElementType("DOUBLE_COMPLEX", 10, 16);
    public static final ElementType FLOAT_COMPLEX = new ElementType("FLOAT_COMPLEX", 11, 8);

    /// A `double`, an `int`, and four bytes of padding.
    public static final ElementType DOUBLE_INT = new ElementType("DOUBLE_INT", 12, 16);

    /// A `long`, an `int`, and four bytes of padding.
    public static final ElementType LONG_INT = new ElementType("LONG_INT", 13, 16);

    public static final ElementType FLOAT_INT = new ElementType("FLOAT_INT", 14, 8);
    public static final ElementType INT_INT = new ElementType("INT_INT", 15, 8);

    /// Elements of several basic types, as bytes.
    private static final ElementType MIXED = new ElementType("bytes of several types", 16, 1);

    /// Data of any types that a `Packer` has packed. It matches all types except objects.
    public static final ElementType PACKED = new ElementType("PACKED", 17, 1);

    /// One more than the largest [#code].
    public static final int CODES = 18;

    private static final ElementType[] BY_CODE = {
        OBJECT,
        BYTE,
        BOOLEAN,
        CHAR,
        SHORT,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        OBJECT,
        DOUBLE_COMPLEX,
        FLOAT_COMPLEX,
        DOUBLE_INT,
        LONG_INT,
        FLOAT_INT,
        INT_INT,
        MIXED,
        PACKED
    };

    private final Object name;
    private final int code;
    private final long size;

    /// The size of an element if it fits into an `int`, otherwise -1.
    private final int bytes;

    private final Signature signature;
    private final ElementType basic;
    private final boolean gaps;

    private ElementType(String name, int code, int bytes) {
        this.name = name;
        this.code = code;
        this.bytes = bytes;
        size = bytes;
        signature = Signature.of(code, bytes);
        basic = this;
        gaps = name.equals("DOUBLE_INT") || name.equals("LONG_INT");
    }

    /// Creates the elements of a derived datatype.
    ///
    /// @param name the object whose `toString` is the name
    /// @param old the component types. They determine the basic type of elements with length 0: one rank's part
    ///     of an array can be empty, and this rank must then pass the same basic type to a collective call as
    ///     the other ranks
    public ElementType(Object name, Signature signature, ElementType... old) {
        this.name = name;
        this.signature = signature;
        size = signature.bytes();
        bytes = size == (int) size ? (int) size : -1;
        basic = switch (signature.code()) {
            case Signature.NONE -> basicOf(old);
            case Signature.SEVERAL -> MIXED;
            default -> ofCode(signature.code());
        };
        code = basic.code;
        gaps = basic == MIXED ? gapsIn(signature) > 0 : basic.gaps && size > 0;
    }

    private static ElementType basicOf(ElementType[] old) {
        ElementType all = null;
        for (ElementType part : old) {
            if (all != null && all != part.basic) return MIXED;
            all = part.basic;
        }
        return all == null ? BYTE : all;
    }

    /// Returns the basic type with this [#code].
    public static ElementType ofCode(int code) {
        return BY_CODE[code];
    }

    /// Returns the number of bytes of an element in a message: without gaps between the parts, but with the gap
    /// at the end of a pair.
    public long size() {
        return size;
    }

    /// Returns [#size()] if it fits into an `int`, otherwise -1.
    public int bytes() {
        return bytes;
    }

    /// Returns the small number that represents [#basic] in message headers and `switch` statements. It is equal
    /// on all ranks.
    public int code() {
        return code;
    }

    /// Returns the basic type of all parts. If there are several basic types, returns a type of one byte, whose
    /// messages are matched by the [#signatureHash].
    public ElementType basic() {
        return basic;
    }

    public boolean isBasic() {
        return basic == this;
    }

    /// Returns whether a message of these elements may be received as `other`, according to the basic types. If
    /// there are several basic types, the caller must also compare the signatures.
    public boolean matches(ElementType other) {
        if (basic == other.basic) return true;
        return (basic == PACKED || other.basic == PACKED) && basic != OBJECT && other.basic != OBJECT;
    }

    /// Returns whether the element consists of several basic types.
    public boolean isMixed() {
        return basic == MIXED;
    }

    /// Returns the sequence of basic types of an element.
    public Signature signature() {
        return signature;
    }

    /// Returns a 14-bit hash of the sequence of basic types in a message of `length` bytes.
    public int signatureHash(long length) {
        long h = signature.hash(length);
        h = (h ^ h >>> 32) * 0xD6E8_FEB8_6659_FD93L;
        return (int) (h >>> 50);
    }

    public boolean isWholeNumber() {
        return this == BYTE || this == CHAR || this == SHORT || this == INT || this == LONG;
    }

    public boolean isNumber() {
        return isWholeNumber() || this == FLOAT || this == DOUBLE;
    }

    public boolean isComplex() {
        return this == DOUBLE_COMPLEX || this == FLOAT_COMPLEX;
    }

    /// Returns whether the element is a value with an index.
    public boolean isPair() {
        return this == DOUBLE_INT || this == LONG_INT || this == FLOAT_INT || this == INT_INT;
    }

    /// Returns the size of the gap at the end of a pair. MPI's type map of such a pair does not include the gap:
    /// MPI counts 12 bytes, as in C, although [#size] is 16.
    private int gap() {
        return this == DOUBLE_INT || this == LONG_INT ? Integer.BYTES : 0;
    }

    /// Returns whether the basic types include a pair with a gap.
    public boolean hasGaps() {
        return gaps;
    }

    /// Returns the number of bytes that MPI counts in the first `length` bytes of a sequence of elements; MPI
    /// does not count the gaps of pairs.
    public long withoutGaps(long length) {
        return gaps ? converted(length, true) : length;
    }

    /// Returns the number of bytes of a sequence of elements for which MPI counts `length` bytes. This is the
    /// inverse of [#withoutGaps].
    public long withGaps(long length) {
        return gaps ? converted(length, false) : length;
    }

    private long converted(long length, boolean without) {
        long gapsOfOne = gapsIn(signature);
        long from = without ? size : size - gapsOfOne, to = without ? size - gapsOfOne : size;
        long[] left = {length % from}, sum = {length / from * to};
        signature.visit((code, count) -> {
            ElementType each = ofCode(code);
            int there = each.bytes - (without ? 0 : each.gap()), here = each.bytes - (without ? each.gap() : 0);
            long n = Math.min(count, left[0] / there);
            left[0] -= n * there;
            sum[0] += n * here;
            if (n == count) return;
            sum[0] += Math.min(left[0], here);
            left[0] = 0;
        });
        return sum[0];
    }

    private static long gapsIn(Signature signature) {
        long[] sum = new long[1];
        signature.visit((code, count) -> sum[0] += count * ofCode(code).gap());
        return sum[0];
    }

    /// Returns the alignment in C. A complex number or a pair is aligned as its parts are.
    public int alignment() {
        if (this == DOUBLE_COMPLEX || this == DOUBLE_INT || this == LONG_INT) return Long.BYTES;
        if (this == FLOAT_COMPLEX || this == FLOAT_INT || this == INT_INT) return Integer.BYTES;
        return bytes;
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
