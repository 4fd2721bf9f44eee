package org.tutti.mpi.object;

/// The format of a message; all numbers are little-endian.
///
///     message = FORMAT value        whole, or followed by large arrays:
///             | prefix FORMAT value table array array …
///     prefix  = FORMAT_OUTSIDE, 3 zeros, int32 number of arrays, int64 bytes before the first array
///     table   = for each array: its tag, int64 count of elements
///     value   = tag body            one tag byte, so that n promised values need at least n bytes
///     varint  = 7 bits per byte, low bits first, bit 7: more follow; zigzag for signed numbers
///     class   = varint index        of an earlier class of this message, or, if it is the next new one:
///               kind (R, E, I), varint length, its name in UTF-8, varint count, int32 hash
///
/// `count` and `hash` describe the components of a record or the constants of an enum: ranks with different
/// versions of a program detect the difference before any value is stored in the wrong component.
final class Tag {
    /// The first byte of every message without outside arrays. If the first byte is not this value or
    /// [#FORMAT_OUTSIDE], a different version of the codec has written the message.
    static final int FORMAT = 0xB1;

    /// The first byte of a message with large arrays outside the value, which are sent and received without
    /// copies. The bytes of the arrays are in native order, which is little-endian on all supported machines.
    static final int FORMAT_OUTSIDE = 0xB2;

    static final int PREFIX_BYTES = 16, PREFIX_ARRAYS = 4, PREFIX_HEAD = 8, TABLE_ENTRY_BYTES = 9;

    /// The minimum size of arrays outside the value; a message up to this size has none.
    static final int OUTSIDE_BYTES = 32 << 10;

    static final int NULL = 0, TRUE = 1, FALSE = 2;
    /// These types have a fixed width, except INT and LONG, which are zigzag varints.
    static final int BYTE = 3, SHORT = 4, CHAR = 5, INT = 6, LONG = 7, FLOAT = 8, DOUBLE = 9;
    /// varint count of chars, then one byte (LATIN1) or two (UTF16, exact even for lone surrogates) per char.
    static final int LATIN1 = 10, UTF16 = 11;
    /// varint length, two's complement; BIG_DECIMAL has a zigzag scale before the length.
    static final int BIG_INTEGER = 12, BIG_DECIMAL = 13;
    static final int UUID = 14, DURATION = 15, INSTANT = 16, LOCAL_DATE = 17, LOCAL_TIME = 18, LOCAL_DATE_TIME = 19;
    static final int OPTIONAL_EMPTY = 20, OPTIONAL = 21;
    /// varint count, then elements.
    static final int BOOLEANS = 24,
            BYTES = 25,
            SHORTS = 26,
            CHARS = 27,
            INTS = 28,
            LONGS = 29,
            FLOATS = 30,
            DOUBLES = 31;
    /// dimensions of the element type (one byte), the base (varint: 0 and a class, or 1 + index of a built-in
    /// class), varint count, values.
    static final int ARRAY = 32;
    /// class, then one value per component.
    static final int RECORD = 33;
    /// class, varint ordinal.
    static final int ENUM = 34;
    /// varint count, values. LIST, SET_OF and SET arrive unmodifiable; SET and MAP arrive in the sender's
    /// order.
    static final int LIST = 35, SET_OF = 36, SET = 37;
    static final int ARRAY_LIST = 38, LINKED_LIST = 39, ARRAY_DEQUE = 40;
    static final int HASH_SET = 41, LINKED_HASH_SET = 42, TREE_SET = 43;
    /// varint count, then key, value, key, value …. MAP_OF and MAP arrive unmodifiable.
    static final int MAP_OF = 44, MAP = 45;
    static final int HASH_MAP = 46, LINKED_HASH_MAP = 47, TREE_MAP = 48;
    /// class of the constants, then like a set or a map.
    static final int ENUM_SET = 49, ENUM_MAP = 50;
    /// tag of the array, varint count: the next array outside the stream.
    static final int OUTSIDE = 51;

    /// 0x80 + n: a Latin-1 string of n < 64 chars. 0xC0 + n: the int n - 16, up to 47.
    static final int SHORT_STRING = 0x80, SMALL_INT = 0xC0;
    static final int SHORT_STRING_MAX = 63, SMALL_INT_MIN = -16, SMALL_INT_MAX = 47;

    private Tag() {}
}
