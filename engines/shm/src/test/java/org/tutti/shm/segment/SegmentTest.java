package org.tutti.shm.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.os.PortablePlatform;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

class SegmentTest {
    private final Segment segment = Segment.ofThisProcess(new PortablePlatform(), 2, Arena.ofAuto());

    @Test
    void eachProcessNumberIsAssignedOnce() {
        Segment few =
                new Segment(new Shared(Arena.ofAuto().allocate(1 << 16, 4096)), 8, 2048, 4, 1 << 20, (at, bytes) -> {});
        assertThat(few.hasSpawned()).isFalse();
        assertThat(few.newProcesses(3, 2, "spawn")).isEqualTo(2);
        assertThat(few.newProcesses(2, 2, "spawn")).isEqualTo(5);
        few.leave(6);
        assertThatThrownBy(() -> few.newProcesses(2, 2, "spawn"))
                .isInstanceOfSatisfying(
                        Fault.class, e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_SPAWN))
                .hasMessage("spawn: a job has at most 8 processes, including terminated ones; this job has already"
                        + " had 7");
        assertThat(few.newProcesses(1, 2, "spawn")).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 40, Long.MAX_VALUE, Long.MAX_VALUE - 64, Long.MAX_VALUE - 5000, 1L << 62})
    void aFailedAllocationTakesNoMemory(long bytes) {
        assertThatThrownBy(() -> segment.extent(bytes, "alloc"))
                .isInstanceOfSatisfying(
                        Fault.class, e -> assertThat(e.errorClass()).isEqualTo(PredefinedErrorClass.ERR_NO_MEM))
                .hasMessageStartingWith("alloc: " + bytes + " bytes do not fit into the job's shared memory of "
                        + segment.memory().segment().byteSize() + " bytes (");
        long first = segment.extent(100, "alloc"), second = segment.extent(5000, "alloc");
        assertThat(first).isLessThan(5000);
        assertThat(second).isEqualTo(4096 * 2);
        assertThat(segment.extent(1, "alloc")).isEqualTo(second + 5000 + 56);
    }
}
