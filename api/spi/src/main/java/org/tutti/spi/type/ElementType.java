package org.tutti.spi.type;

/// What one element of a buffer is, as engines see it: its length in a message, the basic types that it consists
/// of, and its name for texts. Where its bytes lie in a buffer is the [Layout]'s.
///
/// Elements of a derived datatype are an object of their own; those of a *basic* type are the constants.
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

    /// A `double`, an `int`, four bytes of nothing.
    public static final ElementType DOUBLE_INT = new ElementType("DOUBLE_INT", 12, 16);

    /// A `long`, an `int`, four bytes of nothing.
    public static final ElementType LONG_INT = new ElementType("LONG_INT", 13, 16);

    public static final ElementType FLOAT_INT = new ElementType("FLOAT_INT", 14, 8);
    public static final ElementType INT_INT = new ElementType("INT_INT", 15, 8);

    /// Elements of several basic types, byte by byte.
    private static final ElementType MIXED = new ElementType("bytes of several types", 16, 1);

    /// Data of any types, brought together by a `Packer`: it matches all but objects.
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

    /// Of an element that is no longer than an `int` counts, else -1.
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

    /// Elements of a derived datatype.
    ///
    /// @param name the object whose text is their name
    /// @param old what they are made of, which says the basic type of those of length 0: one rank's part of an
    ///     array may be empty, and its collective call is of the type that the others' are of
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

    /// The basic type with this [#code].
    public static ElementType ofCode(int code) {
        return BY_CODE[code];
    }

    /// The bytes that one has in a message, without gaps.
    public long size() {
        return size;
    }

    /// As [#size()], of one that an `int` counts; else -1.
    public int bytes() {
        return bytes;
    }

    /// A small number that stands for [#basic] in envelopes and switches; the same on all ranks.
    public int code() {
        return code;
    }

    /// The basic type that all of it consists of; where it consists of several, one of one byte, whose messages match
    /// by their [#signatureHash].
    public ElementType basic() {
        return basic;
    }

    public boolean isBasic() {
        return basic == this;
    }

    /// Whether a message of these may be received as `other`, as far as their basic types say; of elements of several
    /// types also their signatures must be equal.
    public boolean matches(ElementType other) {
        if (basic == other.basic) return true;
        return (basic == PACKED || other.basic == PACKED) && basic != OBJECT && other.basic != OBJECT;
    }

    /// Whether it consists of several basic types.
    public boolean isMixed() {
        return basic == MIXED;
    }

    /// The sequence of basic types of one.
    public Signature signature() {
        return signature;
    }

    /// A hash of 14 bits of the basic types that a message of `length` bytes of these consists of.
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

    /// A value and its place.
    public boolean isPair() {
        return this == DOUBLE_INT || this == LONG_INT || this == FLOAT_INT || this == INT_INT;
    }

    /// The bytes of the gap at its end. MPI's type map of such a pair has none: a message of one has 12 bytes, also
    /// where C sends it.
    private int gap() {
        return this == DOUBLE_INT || this == LONG_INT ? Integer.BYTES : 0;
    }

    /// Whether a pair with a gap is among its basic types.
    public boolean hasGaps() {
        return gaps;
    }

    /// How many bytes MPI counts in the first `length` bytes of a sequence of these: without the gaps of pairs.
    public long withoutGaps(long length) {
        return gaps ? converted(length, true) : length;
    }

    /// How many bytes of a sequence of these MPI counts as `length`; the inverse of [#withoutGaps].
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

    /// As C aligns it: complex numbers and pairs as their parts.
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
