package org.tutti.shm.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.PlainDoor;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

class SegmentTest {
    private final Segment segment = Segment.ofThisProcess(new PlainDoor(), 2, Arena.ofAuto());

    @ParameterizedTest
    @ValueSource(longs = {1L << 40, Long.MAX_VALUE, Long.MAX_VALUE - 64, Long.MAX_VALUE - 5000, 1L << 62})
    void whatDoesNotFitTakesNothing(long bytes) {
        assertThatThrownBy(() -> segment.extent(bytes, "alloc"))
                .isInstanceOfSatisfying(
                        Fault.class, e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_NO_MEM))
                .hasMessageStartingWith("alloc: " + bytes + " bytes do not fit into the job's shared memory of "
                        + segment.memory().segment().byteSize() + " bytes, of which ");
        long first = segment.extent(100, "alloc"), second = segment.extent(5000, "alloc");
        assertThat(first).isLessThan(5000);
        assertThat(second).isEqualTo(4096 * 2);
        assertThat(segment.extent(1, "alloc")).isEqualTo(second + 5000 + 56);
    }
}
