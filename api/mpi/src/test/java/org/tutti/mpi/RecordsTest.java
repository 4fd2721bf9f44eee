package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class RecordsTest {
    record Particle(double x, double y, int id) {}

    record Odd(byte a, long b, boolean c, Particle d, char e) {}

    record Named(int id, String name) {}

    record Empty() {}

    @Test
    void laysRecordsOutAsCWould() {
        Datatype t = Datatype.ofRecord(Odd.class);
        assertThat(t.extent()).isEqualTo(56);
        assertThat(t.sizeBytes()).isEqualTo(1 + 8 + 1 + 20 + 2);
        assertThat(t.trueExtent()).isEqualTo(50);
        assertThat(t.contents().types().getFirst().contents().addresses())
                .containsExactly(0L, 8L, 16L, 24L, 32L, 40L, 48L);
        assertThat(t).hasToString("Odd");
        assertThat(Records.sizeBytes(Particle.class)).isEqualTo(24);
    }

    @Test
    void readsAndWritesRecordsInMemory() {
        MemorySegment s = MemorySegment.ofArray(new byte[3 * 56]).fill((byte) -1);
        Records<Odd> all = Records.of(s, Odd.class);
        Odd odd = new Odd((byte) 3, -7, true, new Particle(1.5, -2, 9), 'ö');
        all.set(1, odd);
        assertThat(all.count()).isEqualTo(3);
        assertThat(all.get(1)).isEqualTo(odd);
        assertThat(s.get(ValueLayout.JAVA_LONG_UNALIGNED, 56 + 8)).isEqualTo(-7);
        assertThat(s.get(ValueLayout.JAVA_BYTE, 56 + 1)).as("a gap").isEqualTo((byte) -1);
        assertThatThrownBy(() -> all.get(3)).hasMessage("record 3 of 3");
    }

    @Test
    void reportsFieldsThatCannotBeInAStruct() {
        assertThatThrownBy(() -> Datatype.ofRecord(Named.class))
                .hasMessage("ofRecord: Named.name is of type String; a struct consists of primitives and records"
                        + " of primitives; send objects with sendObject");
        assertThatThrownBy(() -> Datatype.ofRecord(Empty.class))
                .hasMessage("ofRecord: " + Empty.class.getName() + " has no components; declare at least one");
        assertThatThrownBy(() -> Records.of(MemorySegment.ofArray(new byte[25]), Particle.class))
                .hasMessage("Records: a segment of 25 bytes is not a whole number of Particle of 24 bytes");
    }
}
