package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.mpi.Buf.buf;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PackerTest {
    @Test
    void external32IsBigEndianWithoutGaps() {
        Packer p = Packer.external32()
                .add(buf(new int[] {1, -2}))
                .add(buf(new double[] {1.5}))
                .add(buf(new char[] {'a'}))
                .add(buf(new double[] {-0.0}, new int[] {3}))
                .add(Buf.complex(new float[] {1, 2}));
        assertThat(HexFormat.of().formatHex(p.toByteArray()))
                .isEqualTo("00000001fffffffe" + "3ff8000000000000" + "0061" + "800000000000000000000003"
                        + "3f80000040000000");
        double[] value = new double[1], back = new double[1];
        int[] ints = new int[2], place = new int[1];
        float[] complex = new float[2];
        char[] letter = new char[1];
        Unpacker u = Unpacker.external32(p.toByteArray())
                .take(buf(ints))
                .take(buf(back))
                .take(buf(letter))
                .take(buf(value, place))
                .take(Buf.complex(complex));
        assertThat(u.remaining()).isZero();
        assertThat(ints).containsExactly(1, -2);
        assertThat(back).containsExactly(1.5);
        assertThat(letter).containsExactly('a');
        assertThat(place).containsExactly(3);
        assertThat(complex).containsExactly(1, 2);
    }

    @Test
    void reportsTheSizeInAdvance() {
        Buf pair = buf(new double[] {1}, new int[] {2});
        assertThat(new Packer().sizeBytes(pair)).isEqualTo(16);
        assertThat(Packer.external32().sizeBytes(pair)).isEqualTo(12);
    }

    @Test
    void growsByItself() {
        Packer p = new Packer();
        for (int i = 0; i < 1000; i++) p.add(buf(new int[] {i}));
        assertThat(p.sizeBytes()).isEqualTo(4000);
        assertThat(p.buf().count()).isEqualTo(4000);
        int[] all = new int[1000];
        new Unpacker(p.toByteArray()).take(buf(all));
        assertThat(all[999]).isEqualTo(999);
    }

    @Test
    void reportsUnsupportedValues() {
        Unpacker u = new Unpacker(new byte[7]);
        u.take(buf(new byte[1]));
        assertThatThrownBy(() -> u.take(buf(new long[1])))
                .isInstanceOfSatisfying(
                        MpiException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.ERR_TRUNCATE))
                .hasMessage("Unpacker.take: 1 LONG needs 8 bytes but 6 remain");
        assertThatThrownBy(() -> u.take(Buf.NONE)).hasMessage("Unpacker.take: NONE has no data; pass a buffer");
        assertThatThrownBy(() -> new Packer().add(Buf.IN_PLACE))
                .hasMessage("Packer.add: IN_PLACE has no data; pass a buffer");
    }
}
