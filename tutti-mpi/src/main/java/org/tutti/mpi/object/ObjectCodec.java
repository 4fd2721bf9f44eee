package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/// Turns values into bytes and back, with buffers that it uses again: after warm-up nothing is allocated but the
/// result.
///
/// One call at a time: keep one codec per thread, or one per call in progress. It runs code of the program
/// (accessors and constructors of records, `hashCode` and `compareTo` of keys), which must not come back to
/// the same codec.
public final class ObjectCodec {
    /// Levels of nesting that travel: up to 1.3 KiB of stack each (records, C1), so they fit the usual stack
    /// of 1 MiB.
    public static final int MAX_DEPTH = 500;

    private final ObjectWriter writer = new ObjectWriter();
    private final ObjectReader reader = new ObjectReader();
    private boolean busy;

    /// Writes `value` as the first bytes of [#encoded()], over what was there.
    ///
    /// @return bytes written; may exceed 2 GiB
    /// @throws CodecException if something in `value` does not travel; the text has the path to it
    public long encode(@Nullable Object value) {
        enter();
        try {
            return writer.message(value);
        } finally {
            busy = false;
        }
    }

    /// Off the heap, readable by any thread, valid until the next `encode`; longer than the message.
    public MemorySegment encoded() {
        return writer.segment();
    }

    /// Reads one whole message.
    ///
    /// @param expected what the value must be an instance of; primitive types stand for their boxes; null fits all
    /// @throws CodecException if the bytes are no message, or hold something else; its text continues the caller's
    ///     `message from rank 0, tag 11, …`
    public @Nullable <T> T decode(MemorySegment data, long offset, long bytes, Class<T> expected) {
        enter();
        try {
            Object value = reader.message(data, offset, bytes, expected);
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

    private void enter() {
        if (busy) {
            throw new CodecException(
                    "code of a value that is just being sent or received sends or receives an object itself");
        }
        busy = true;
    }

    private static String article(String name) {
        return ("aeiou".indexOf(Character.toLowerCase(name.charAt(0))) >= 0 ? "an " : "a ") + name;
    }
}
