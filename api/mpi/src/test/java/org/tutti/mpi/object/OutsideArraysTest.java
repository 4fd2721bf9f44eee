package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/// Large arrays are stored after the stream, and are received directly into the value.
class OutsideArraysTest {
    /// Makes defensive copies, like many records.
    record NamedMatrix(String name, double[] cells) {
        NamedMatrix {
            cells = cells.clone();
        }
    }

    private static final int OUTSIDE = Tag.OUTSIDE_BYTES;

    private static Object large(int tag, int bytes, int fill) {
        Object array =
                BuiltIns.primitives(tag, bytes / (int) BuiltIns.layout(tag).byteSize());
        MemorySegment all = BuiltIns.segment(array);
        for (long i = 0; i < all.byteSize(); i++) {
            all.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8) + fill));
        }
        return array;
    }

    private static byte[] message(Object value) {
        List<MemorySegment> pieces = RoundTrip.pieces(new ObjectCodec(), value);
        byte[] message = new byte[(int) RoundTrip.bytes(pieces)];
        int at = 0;
        for (MemorySegment piece : pieces) {
            MemorySegment.copy(piece, 0, MemorySegment.ofArray(message), at, piece.byteSize());
            at += (int) piece.byteSize();
        }
        return message;
    }

    private static AbstractThrowableAssert<?, ?> receiving(byte[] message) {
        return assertThatThrownBy(() -> RoundTrip.receive(message)).isInstanceOf(CodecException.class);
    }

    @Test
    void everyTypeOfArrayArrivesAtEverySizeAroundTheLimit() {
        for (int tag = Tag.BYTES; tag <= Tag.DOUBLES; tag++) {
            for (int bytes : new int[] {OUTSIDE - 8, OUTSIDE, OUTSIDE + 8, 3 * OUTSIDE}) {
                Object array = large(tag, bytes, tag);
                List<?> arrived = RoundTrip.of(List.of("before", array, "after"), List.class);
                assertThat(Arrays.deepEquals(arrived.toArray(), new Object[] {"before", array, "after"}))
                        .isTrue();
            }
        }
        boolean[] truths = new boolean[2 * OUTSIDE];
        truths[OUTSIDE] = true;
        assertThat(RoundTrip.of(truths, boolean[].class)).isEqualTo(truths);
    }

    @Test
    void arraysAreSentFromWhereTheyAre() {
        double[] cells = new double[OUTSIDE];
        List<MemorySegment> pieces = RoundTrip.pieces(new ObjectCodec(), Map.of("cells", cells));
        assertThat(pieces).hasSize(3);
        assertThat(pieces.getFirst().byteSize()).isEqualTo(Tag.PREFIX_BYTES);
        assertThat(pieces.getLast().heapBase()).containsSame(cells);
    }

    @Test
    void constructorsSeeArraysThatAreThereAlready() {
        double[] cells = (double[]) large(Tag.DOUBLES, 4 * OUTSIDE, 1);
        NamedMatrix arrived = RoundTrip.of(new NamedMatrix("m", cells), NamedMatrix.class);
        assertThat(arrived.cells()).isEqualTo(cells);
    }

    @Test
    void theSameArrayTwiceArrivesAsTwo() {
        long[] shared = (long[]) large(Tag.LONGS, 2 * OUTSIDE, 5);
        long[][] arrived = RoundTrip.of(new long[][] {shared, shared}, long[][].class);
        assertThat(arrived[0]).isEqualTo(shared).isNotSameAs(arrived[1]);
        assertThat(arrived[1]).isEqualTo(shared);
    }

    @Test
    void aRoomIsGoodForManyMessagesAndPartsOfAnySize() {
        SplittableRandom random = new SplittableRandom(20_251);
        ObjectCodec codec = new ObjectCodec();
        ObjectRoom room = new ObjectRoom();
        for (int i = 0; i < 100; i++) {
            List<Object> value = new ArrayList<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                int tag = Tag.BYTES + random.nextInt(7);
                value.add(large(tag, random.nextInt(4 * OUTSIDE) & -8, i));
                value.add("x".repeat(random.nextInt(i % 7 == 0 ? 200_000 : 100)));
            }
            RoundTrip.deliver(RoundTrip.pieces(codec, value), room, 1 + random.nextInt(50_000));
            List<?> arrived = codec.decode(room, List.class);
            assertThat(Arrays.deepEquals(arrived.toArray(), value.toArray())).isTrue();
        }
    }

    /// The stream is longer than one chunk of the sink, regardless of the chunk size.
    @Test
    void aStreamInManyChunksArrives() {
        List<String> value = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            value.add(String.valueOf((char) ('a' + i % 26)).repeat(1_000_003));
        }
        ObjectCodec codec = new ObjectCodec();
        List<MemorySegment> pieces = RoundTrip.pieces(codec, value);
        assertThat(pieces).hasSizeGreaterThan(3);
        ObjectRoom room = new ObjectRoom();
        RoundTrip.deliver(pieces, room, 1 << 20);
        List<?> arrived = codec.decode(room, List.class);
        assertThat(arrived).isEqualTo(value);
        codec.release();
    }

    @Test
    void theNextMessageOfThatLengthIsInOneChunk() {
        ObjectCodec codec = new ObjectCodec();
        String value = "x".repeat(10 << 20);
        assertThat(RoundTrip.pieces(codec, value)).hasSizeGreaterThan(1);
        assertThat(RoundTrip.pieces(codec, value)).hasSize(1);
    }

    @Test
    void prefixAndTableMustAgreeWithTheMessage() {
        byte[] valid = message(List.of(large(Tag.INTS, OUTSIDE, 1), large(Tag.DOUBLES, 2 * OUTSIDE, 2)));
        int head = (int) MemorySegment.ofArray(valid).get(ByteSource.LONG, Tag.PREFIX_HEAD);
        int table = head - 2 * Tag.TABLE_ENTRY_BYTES;
        receiving(with(valid, Tag.PREFIX_HEAD, Long.MAX_VALUE))
                .hasMessage("is broken: announces a stream of 9223372036854775807 bytes, but has " + valid.length);
        receiving(with(valid, Tag.PREFIX_HEAD, -1))
                .hasMessage("is broken: announces a stream of -1 bytes, but has " + valid.length);
        receiving(with(valid, Tag.PREFIX_HEAD, 17))
                .hasMessage("is broken: announces a table of 2 arrays at the end of a stream of 1 bytes");
        receiving(withInt(valid, Tag.PREFIX_ARRAYS, Integer.MAX_VALUE))
                .hasMessage("is broken: announces a table of 2147483647 arrays at the end of a stream of " + (head - 16)
                        + " bytes");
        receiving(withInt(valid, Tag.PREFIX_ARRAYS, 0)).hasMessageContaining("a table of 0 arrays");
        receiving(withInt(valid, Tag.PREFIX_ARRAYS, 1))
                .hasMessage("is broken: announces 65536 bytes of arrays, but 98304 follow");
        receiving(with(valid, table + 1, -8)).hasMessage("is broken: no array has tag 28 and -8 elements");
        receiving(with(valid, table + 1, 1L << 31))
                .hasMessage("is broken: no array has tag 28 and 2147483648 elements");
        receiving(with(valid, table + 1, 2_000_000_000))
                .hasMessage("is broken: announces 8000000000 bytes of arrays, but 98304 follow");
        receiving(with(valid, table + 1, 1)).hasMessage("is broken: an array of 4 bytes must be part of the stream");
        byte[] badTag = valid.clone();
        badTag[table] = Tag.BOOLEANS;
        receiving(badTag).hasMessage("is broken: no array has tag 24 and 8192 elements");
        byte[] otherTag = valid.clone();
        otherTag[table] = Tag.FLOATS;
        receiving(otherTag).hasMessageEndingWith("refers to a different array than the next one, float[] (of 8192)");
    }

    @Test
    void streamMustReferToExactlyAllArrays() {
        byte[] one = message(large(Tag.INTS, OUTSIDE, 1));
        byte[] twice = new byte[one.length + OUTSIDE + Tag.TABLE_ENTRY_BYTES];
        int head = (int) MemorySegment.ofArray(one).get(ByteSource.LONG, Tag.PREFIX_HEAD);
        System.arraycopy(one, 0, twice, 0, head);
        System.arraycopy(one, head - Tag.TABLE_ENTRY_BYTES, twice, head, Tag.TABLE_ENTRY_BYTES);
        MemorySegment.ofArray(twice).set(ByteSource.INT, Tag.PREFIX_ARRAYS, 2);
        receiving(with(twice, Tag.PREFIX_HEAD, head + Tag.TABLE_ENTRY_BYTES))
                .hasMessageEndingWith("refers to 1 of the 2 arrays after it");
        receiving(RoundTrip.message(Tag.OUTSIDE, Tag.INTS, 7))
                .hasMessage("is broken at byte 4 of 4: refers to more arrays than the 0 after it");
    }

    @Test
    void aShortMessageHasNoArraysOutside() {
        byte[] message = new byte[100];
        message[0] = (byte) Tag.FORMAT_OUTSIDE;
        receiving(message).hasMessage("is not an object of this version of Tutti: the first byte is 178");
    }

    @Test
    void everyMutationIsDecodedOrRejectedClearly() {
        byte[] valid = message(List.of(
                new NamedMatrix("m", (double[]) large(Tag.DOUBLES, OUTSIDE, 1)),
                Map.of("k", large(Tag.INTS, OUTSIDE, 2), "l", 7)));
        int head = (int) MemorySegment.ofArray(valid).get(ByteSource.LONG, Tag.PREFIX_HEAD);
        long seed = Long.getLong("tutti.test.seed", 20260102);
        int mutations = Boolean.getBoolean("tutti.full") ? 20_000 : 4_000;
        ObjectCodec codec = new ObjectCodec();
        ObjectRoom room = new ObjectRoom();
        int values = 0;
        for (int i = 0; i < mutations; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            byte[] message =
                    random.nextInt(8) == 0 ? Arrays.copyOf(valid, 1 + random.nextInt(valid.length)) : valid.clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                int at = random.nextInt(Math.min(head, message.length));
                message[at] =
                        (byte) (random.nextBoolean() ? random.nextInt(256) : message[at] ^ 1 << random.nextInt(8));
            }
            try {
                RoundTrip.deliver(List.of(MemorySegment.ofArray(message)), room, 1 << 20);
                codec.decode(room, Object.class);
                values++;
            } catch (CodecException e) {
                assertThat(e.getMessage()).isNotBlank();
            } catch (Throwable t) {
                throw new AssertionError("repeat with -Dtutti.test.seed=" + (seed + i), t);
            }
        }
        assertThat(values).isBetween(mutations / 200, mutations - mutations / 20);
    }

    private static byte[] with(byte[] message, int at, long value) {
        byte[] changed = message.clone();
        MemorySegment.ofArray(changed).set(ByteSource.LONG, at, value);
        return changed;
    }

    private static byte[] withInt(byte[] message, int at, int value) {
        byte[] changed = message.clone();
        MemorySegment.ofArray(changed).set(ByteSource.INT, at, value);
        return changed;
    }
}
