package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Encodes values as bytes, and decodes them. The buffers are reused: after the first calls, only the result is
/// allocated.
///
/// Not reentrant: use a separate codec for each thread, or for each call in progress. The codec runs code of
/// the program (accessors and constructors of records, `hashCode` and `compareTo` of keys), which must not call
/// the same codec.
public final class ObjectCodec {
    /// The maximum nesting depth. Each level needs up to 1.3 KiB of stack (for records, compiled by C1), so the
    /// default stack of 1 MiB suffices.
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

    /// Encodes `value` and overwrites the last message. Large arrays in `value` are not copied: the message
    /// references the arrays, which must not change until the message has been sent.
    ///
    /// @return the size in bytes of the message, which consists of [#first] and [#rest]; may exceed 2 GiB
    /// @throws CodecException if a part of `value` cannot be sent; the text contains the path to it
    public long encode(@Nullable Object value) {
        return encode(value, true);
    }

    /// Like [#encode], but copies everything, so that `value` may be changed immediately.
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

    /// Returns the start of the message: the first [#firstBytes]. The memory is off-heap, can be read by any
    /// thread, and is valid until the next `encode`.
    public MemorySegment first() {
        return writer.first();
    }

    public long firstBytes() {
        return writer.firstBytes();
    }

    /// Returns the parts of the message that follow [#first], in order. Most messages have no such parts.
    public List<MemorySegment> rest() {
        return writer.rest();
    }

    /// Encodes one message for each of the first `lengths.length` values. The messages are contiguous, all data
    /// is copied, and the sizes are stored in `lengths`.
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

    /// Returns, contiguously, all bytes that precede the arrays that were not copied. These are the first
    /// [#headBytes] bytes.
    public MemorySegment head() {
        return writer.head();
    }

    public long headBytes() {
        return writer.headBytes();
    }

    /// Returns the arrays that were not copied, in order.
    public List<MemorySegment> arrays() {
        return writer.arrays();
    }

    /// Releases the arrays of the value, and the off-heap memory of a large message. Called after the last use of
    /// the message.
    public void release() {
        writer.release();
    }

    /// Decodes a complete contiguous message.
    ///
    /// @param expected the required class of the value; primitive types denote their wrapper classes
    /// @throws CodecException if the bytes are not a valid message, or if the value has a different class; the
    ///     text is the continuation of the caller's `message from rank 0, tag 11, …`
    public @Nullable <T> T decode(MemorySegment data, long offset, long bytes, Class<T> expected) {
        return decode(data, offset, bytes, List.of(), expected);
    }

    /// Decodes the message in `room`, and clears `room`.
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
            @SuppressWarnings("unchecked") // checked above; int.class is a Class<Integer>, too
            T result = (T) value;
            return result;
        } finally {
            busy = false;
        }
    }

    /// Returns whether a call is in progress. Only code that the codec calls, such as a constructor of a
    /// record, can get the result true.
    public boolean isBusy() {
        return busy;
    }

    private void enter() {
        if (busy) {
            throw new CodecException(
                    "code of a value must not send or receive objects while that value is being sent or received");
        }
        busy = true;
    }

    static String article(String name) {
        return ("aeiou".indexOf(Character.toLowerCase(name.charAt(0))) >= 0 ? "an " : "a ") + name;
    }
}
