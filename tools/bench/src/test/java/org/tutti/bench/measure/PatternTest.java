package org.tutti.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.bench.plan.BufferElement;
import org.tutti.mpi.Buf;

class PatternTest {
    private static final int COUNT = 1000, RANKS = 300;

    private static Data data(BufferElement type) {
        long[] memory = new long[COUNT];
        return new Data(Buf.buf(memory), MemorySegment.ofArray(memory), type, COUNT);
    }

    @ParameterizedTest
    @EnumSource(BufferElement.class)
    void rightDataHasNoWrongElements(BufferElement type) {
        Data data = data(type);
        data.fill(Pattern.of(3));
        assertThat(data.wrong(0, COUNT, Pattern.of(3))).isZero();
        data.fill(Pattern.sum(RANKS));
        assertThat(data.wrong(0, COUNT, Pattern.sum(RANKS))).isZero();
    }

    @ParameterizedTest
    @EnumSource(BufferElement.class)
    void plantedErrorsAreCounted(BufferElement type) {
        Data data = data(type);
        data.fill(Pattern.sum(RANKS));
        type.put(data.memory(), 0, 1 + Pattern.sum(RANKS).applyAsLong(0));
        type.put(data.memory(), COUNT - 1, 7 + Pattern.sum(RANKS).applyAsLong(COUNT - 1));
        assertThat(data.wrong(0, COUNT, Pattern.sum(RANKS))).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(BufferElement.class)
    void anothersDataAndNoDataAreWrongEverywhere(BufferElement type) {
        Data data = data(type);
        data.fill(Pattern.of(4));
        assertThat(data.wrong(0, COUNT, Pattern.of(3))).isEqualTo(COUNT);
        data.fill(Pattern.NOTHING);
        assertThat(data.wrong(0, COUNT, Pattern.of(3))).isEqualTo(COUNT);
    }

    @ParameterizedTest
    @EnumSource(BufferElement.class)
    void dataThatIsOneElementLateIsWrong(BufferElement type) {
        Data data = data(type);
        data.fill(i -> Pattern.of(3).applyAsLong(i + 1));
        assertThat(data.wrong(0, COUNT, Pattern.of(3))).isEqualTo(COUNT);
    }
}
