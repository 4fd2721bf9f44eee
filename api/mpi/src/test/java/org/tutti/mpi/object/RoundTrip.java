package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Helpers for the tests of the codec.
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

    /// Transfers a value twice: in pieces, as in a message between two ranks, and contiguously, as in a
    /// collective call. The two results must be equal.
    static <T> T of(Object value, Class<T> expected) {
        ObjectCodec codec = new ObjectCodec();
        long bytes = codec.encodeWhole(value);
        T inOnePlace = codec.decode(codec.head(), 0, bytes, expected);
        ObjectRoom room = new ObjectRoom();
        deliver(pieces(codec, value), room, 8_000);
        T inPieces = codec.decode(room, expected);
        assertThat(bytes(inPieces)).isEqualTo(bytes(inOnePlace));
        return inPieces;
    }

    static byte[] bytes(Object value) {
        ObjectCodec codec = new ObjectCodec();
        long bytes = codec.encodeWhole(value);
        return codec.head().asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /// Returns the message in the form that an engine sends.
    static List<MemorySegment> pieces(ObjectCodec codec, Object value) {
        long bytes = codec.encode(value);
        List<MemorySegment> pieces = new ArrayList<>();
        pieces.add(codec.first().asSlice(0, codec.firstBytes()));
        pieces.addAll(codec.rest());
        assertThat(bytes(pieces)).isEqualTo(bytes);
        return pieces;
    }

    static long bytes(List<MemorySegment> pieces) {
        return pieces.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    /// Delivers the pieces as an engine does, at most `most` bytes at a time.
    static void deliver(List<MemorySegment> pieces, ObjectRoom room, long most) {
        long left = bytes(pieces);
        MemorySegment target = room.next(left);
        long at = 0;
        for (MemorySegment piece : pieces) {
            for (long done = 0; done < piece.byteSize(); ) {
                if (at == target.byteSize()) {
                    target = room.next(left);
                    at = 0;
                }
                long n = Math.min(most, Math.min(piece.byteSize() - done, target.byteSize() - at));
                MemorySegment.copy(piece, done, target, at, n);
                done += n;
                at += n;
                left -= n;
            }
        }
    }

    static Object receive(byte[] message) {
        ObjectRoom room = new ObjectRoom();
        deliver(List.of(MemorySegment.ofArray(message)), room, 8_000);
        return new ObjectCodec().decode(room, Object.class);
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
