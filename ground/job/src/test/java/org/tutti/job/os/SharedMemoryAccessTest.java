package org.tutti.job.os;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class SharedMemoryAccessTest {
    private final SharedMemoryAccess words =
            new SharedMemoryAccess(Arena.ofAuto().allocate(64, 8));

    @Test
    void aWordOutsideIsRefused() {
        words.setLong(56, 1);
        words.setInt(60, 2);
        assertThatThrownBy(() -> words.setLong(64, 1))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("8 bytes at 64 of 64");
        assertThatThrownBy(() -> words.getLong(57)).hasMessage("8 bytes at 57 of 64");
        assertThatThrownBy(() -> words.getIntAcquire(61)).hasMessage("4 bytes at 61 of 64");
        assertThatThrownBy(() -> words.setLongRelease(-8, 1)).hasMessage("8 bytes at -8 of 64");
        assertThatThrownBy(() -> words.addLong(Long.MIN_VALUE, 1)).hasMessageContaining(" of 64");
        assertThatThrownBy(() -> words.getLongAcquire(Long.MAX_VALUE)).hasMessageContaining(" of 64");
    }
}
