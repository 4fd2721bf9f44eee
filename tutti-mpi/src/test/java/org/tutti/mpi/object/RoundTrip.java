package org.tutti.mpi.object;

import java.lang.foreign.MemorySegment;
import java.util.List;

/// What the codec's tests share.
final class RoundTrip {
    enum Colour {
        RED,
        GREEN {
            @Override
            boolean warm() {
                return false;
            }
        };

        boolean warm() {
            return true;
        }
    }

    sealed interface Figure permits Circle, Square {}

    record Circle(double radius) implements Figure {}

    record Square(float side, Colour colour) implements Figure {}

    record Node(int value, Node next) {}

    record Item(String name, Object handler) {}

    record Job(long id, List<Item> items) {}

    record Positive(int value) {
        Positive {
            if (value <= 0) {
                throw new IllegalArgumentException("value=" + value + " is not positive");
            }
        }
    }

    private RoundTrip() {}

    static Object of(Object value) {
        return of(value, Object.class);
    }

    static <T> T of(Object value, Class<T> expected) {
        ObjectCodec codec = new ObjectCodec();
        long bytes = codec.encode(value);
        return codec.decode(codec.encoded(), 0, bytes, expected);
    }

    static byte[] bytes(Object value) {
        ObjectCodec codec = new ObjectCodec();
        long bytes = codec.encode(value);
        return codec.encoded().asSlice(0, bytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    static Object read(byte... message) {
        return new ObjectCodec().decode(MemorySegment.ofArray(message), 0, message.length, Object.class);
    }

    static byte[] message(int... bytes) {
        byte[] message = new byte[bytes.length + 1];
        message[0] = (byte) Tag.FORMAT;
        for (int i = 0; i < bytes.length; i++) {
            message[i + 1] = (byte) bytes[i];
        }
        return message;
    }
}
