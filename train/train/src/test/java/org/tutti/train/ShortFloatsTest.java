package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.train.DistributedDataParallel.Options;
import org.tutti.train.DistributedDataParallel.Step;
import org.tutti.train.model.DType;
import org.tutti.train.number.ShortFloats;

class ShortFloatsTest {
    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void everyShortFloatIsAFloatAndBack(DType type) {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = ShortFloats.value((short) bits, type);
            if (Float.isNaN(value))
                assertThat(ShortFloats.value(ShortFloats.bits(value, type), type))
                        .isNaN();
            else assertThat(ShortFloats.bits(value, type)).isEqualTo((short) bits);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void aFloatBecomesTheNearestAndOfTwoTheEvenOne(DType type) {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 200_000; i++) {
            short low = (short) random.nextInt(0x7b00); // finite in F16 and BF16, and not negative
            double from = ShortFloats.value(low, type), to = ShortFloats.value((short) (low + 1), type);
            float between = (float) (from + (to - from) * (i % 5 == 0 ? 0.5 : random.nextDouble()));
            double down = between - from, up = to - between;
            boolean lower = down < up || down == up && (low & 1) == 0;
            assertThat(ShortFloats.bits(between, type)).isEqualTo((short) (lower ? low : low + 1));
            assertThat(ShortFloats.value(ShortFloats.bits(-between, type), type))
                    .isEqualTo(-ShortFloats.value(ShortFloats.bits(between, type), type));
        }
        assertThat(ShortFloats.value(ShortFloats.bits(Float.intBitsToFloat(0x7f800001), type), type))
                .isNaN();
        assertThat(ShortFloats.value(ShortFloats.bits(Float.MAX_VALUE, type), type))
                .isInfinite();
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void sumsOfGroups(DType type) {
        for (int size : new int[] {1, 2, 3}) {
            Ranks.run(size, group -> {
                for (int count : new int[] {0, 1, 7, 70_001}) {
                    short[] numbers = new short[count];
                    for (int i = 0; i < count; i++) numbers[i] = ShortFloats.bits(i % 13 + group.rank(), type);
                    group.allreduce(MemorySegment.ofArray(numbers), type);
                    for (int i = 0; i < count; i++) {
                        float expected = size * (i % 13) + size * (size - 1) / 2;
                        assertThat(ShortFloats.value(numbers[i], type)).isEqualTo(expected);
                    }
                }
                return true;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void gradientsInHalfTheBytesTrainNearlyTheSame(DType type) {
        double[] whole = Ranks.run(3, g -> trained(g, Options.DEFAULTS)).getFirst();
        var all = Ranks.run(3, g -> trained(g, Options.DEFAULTS.withHook(new HalfPrecision(type))));
        for (double[] one : all) assertThat(one).isEqualTo(all.getFirst());
        double most = 0;
        for (int i = 0; i < whole.length; i++) most = Math.max(most, Math.abs(whole[i] - all.getFirst()[i]));
        assertThat(most).isPositive().isLessThan(0.05);
    }

    private static double[] trained(ProcessGroup group, Options options) {
        TinyModel model = new TinyModel(DType.F32, true, 5);
        try (var ddp = DistributedDataParallel.of(
                model, group, options.withFirstBucketBytes(16).withBucketBytes(100))) {
            for (int i = 0; i < 40; i++) {
                try (Step step = ddp.step(2)) {
                    model.backward(new int[] {6 * i + group.rank(), 6 * i + 3 + group.rank()}, 0);
                    step.sync();
                    model.descend(0.1);
                }
            }
        }
        return model.all();
    }

    @Test
    void aHookForOtherTypesIsRefused() {
        assertThatThrownBy(() -> new HalfPrecision(DType.F32))
                .hasMessage("gradients as F32; F16 and BF16 are half as long as F32");
    }
}
