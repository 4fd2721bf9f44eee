package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Messages of more than 2 GiB, without memory for the content: the same array is sent repeatedly, and the
/// received arrays are checked and discarded one by one.
@Tag("full")
class LargeGraphTest {
    private static final int ARRAY = 1 << 25; // 256 MiB of longs
    private static final int COPIES = 9;

    @Test
    void lengthsOfMoreThanTwoGibibytesAreExact() {
        long[] pattern = new long[ARRAY];
        for (int i = 0; i < ARRAY; i++) {
            pattern[i] = i * 0x9E3779B97F4A7C15L;
        }
        ObjectCodec codec = new ObjectCodec();
        List<long[]> graph = new ArrayList<>(Collections.nCopies(COPIES, pattern));
        List<MemorySegment> pieces = RoundTrip.pieces(codec, graph);
        assertThat(RoundTrip.bytes(pieces))
                .isGreaterThan(Integer.MAX_VALUE)
                .isEqualTo(RoundTrip.bytes(pieces.subList(0, 2)) + COPIES * 8L * ARRAY);

        // the receiver's arrays are released one by one: a full array is checked, then replaced by the next
        ObjectRoom room = new ObjectRoom();
        long left = RoundTrip.bytes(pieces);
        for (MemorySegment piece : pieces.subList(0, 2)) {
            MemorySegment target = room.next(left);
            assertThat(target.byteSize()).isEqualTo(piece.byteSize());
            target.copyFrom(piece);
            left -= piece.byteSize();
        }
        for (int i = 0; i < COPIES; i++) {
            MemorySegment target = room.next(left);
            assertThat(target.byteSize()).isEqualTo(8L * ARRAY);
            target.copyFrom(pieces.get(2 + i));
            assertThat(target.heapBase()).containsInstanceOf(long[].class);
            assertThat((long[]) target.heapBase().orElseThrow()).isEqualTo(pattern);
            left -= target.byteSize();
            room.arrays().set(i, pattern);
        }
        assertThat(left).isZero();
        List<?> arrived = codec.decode(room, List.class);
        assertThat(arrived).hasSize(COPIES).allMatch(a -> a == pattern);
    }
}
