package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Turns values into bytes and back, with buffers that it uses again: after warm-up nothing is allocated
/// but the result.
///
/// One call at a time: keep one codec per thread, or one per call in progress. It runs code of the
/// program (accessors and constructors of records, `hashCode` and `compareTo` of keys), which must not
/// come back to the same codec.
public final class ObjectCodec {
    /// Levels of nesting that travel: up to 1.3 KiB of stack each (records, C1), so they fit the usual stack
    /// of 1 MiB.
    public static final int MAX_DEPTH = 500;

    private final ObjectWriter writer;
    private final ObjectReader reader = new ObjectReader();
    private boolean busy;

    public ObjectCodec() {
        this(new EqualityCheck());
    }

    /// @param equality null to omit the check
    ObjectCodec(@Nullable EqualityCheck equality) {
        writer = new ObjectWriter(equality);
    }

    /// Writes `value` over what was there. Large arrays in it are not copied: they are pieces of the message
    /// themselves, and stay as they are until it has been sent.
    ///
    /// @return bytes of the message, those of [#first] and then of [#rest]; may exceed 2 GiB
    /// @throws CodecException if something in `value` does not travel; the text has the path to it
    public long encode(@Nullable Object value) {
        return encode(value, true);
    }

    /// As [#encode], but everything is copied, so that `value` may be changed at once.
    public long encodeWhole(@Nullable Object value) {
        return encode(value, false);
    }

    private long encode(@Nullable Object value, boolean aside) {
        enter();
        try {
            return writer.message(value, aside);
        } catch (RuntimeException | Error e) {
            writer.release();
            throw e;
        } finally {
            busy = false;
        }
    }

    /// Where the message begins: in the first [#firstBytes] of this. Off the heap, readable by any
    /// thread, valid until the next `encode`.
    public MemorySegment first() {
        return writer.first();
    }

    public long firstBytes() {
        return writer.firstBytes();
    }

    /// What follows, in order: none for most messages.
    public List<MemorySegment> rest() {
        return writer.rest();
    }

    /// Writes a message for each of the first values, as many as `lengths` has room for, one behind the
    /// other and everything copied; `lengths` gets their bytes.
    public long encodeEach(List<?> values, long[] lengths) {
        enter();
        try {
            return writer.messages(values, lengths);
        } catch (RuntimeException | Error e) {
            writer.release();
            throw e;
        } finally {
            busy = false;
        }
    }

    /// All that comes before the arrays which were not copied, in one place: its first [#headBytes].
    public MemorySegment head() {
        return writer.head();
    }

    public long headBytes() {
        return writer.headBytes();
    }

    /// The arrays which were not copied, in order.
    public List<MemorySegment> arrays() {
        return writer.arrays();
    }

    /// Lets go of the value's arrays and of large memory, when nobody reads the message any more.
    public void release() {
        writer.release();
    }

    /// Reads one whole message that lies in one place.
    ///
    /// @param expected what the value must be an instance of; primitive types stand for their boxes
    /// @throws CodecException if the bytes are no message, or hold something else; its text continues the
    ///     caller's `message from rank 0, tag 11, …`
    public @Nullable <T> T decode(MemorySegment data, long offset, long bytes, Class<T> expected) {
        return decode(data, offset, bytes, List.of(), expected);
    }

    /// Reads the message that `room` holds, and empties it.
    public @Nullable <T> T decode(ObjectRoom room, Class<T> expected) {
        try {
            room.check();
            return decode(room.head(), room.valueAt(), room.valueBytes(), room.arrays(), expected);
        } finally {
            room.clear();
        }
    }

    private @Nullable <T> T decode(
            MemorySegment data, long offset, long bytes, List<Object> arrays, Class<T> expected) {
        enter();
        try {
            Object value = reader.message(data, offset, bytes, arrays, expected);
            if (value == null) {
                return null;
            }
            Class<?> boxed = expected.isPrimitive()
                    ? MethodType.methodType(expected).wrap().returnType()
                    : expected;
            if (!boxed.isInstance(value)) {
                throw new CodecException(
                        "holds " + article(Shape.describe(value)) + ", not " + article(expected.getTypeName()));
            }
            @SuppressWarnings("unchecked") // just checked; int.class and Integer.class are both a Class<Integer>
            T result = (T) value;
            return result;
        } finally {
            busy = false;
        }
    }

    /// Whether it is at work, which only code of the value that it works on can find.
    public boolean isBusy() {
        return busy;
    }

    private void enter() {
        if (busy) {
            throw new CodecException(
                    "code of a value that is just being sent or received sends or receives an object itself");
        }
        busy = true;
    }

    static String article(String name) {
        return ("aeiou".indexOf(Character.toLowerCase(name.charAt(0))) >= 0 ? "an " : "a ") + name;
    }
}
