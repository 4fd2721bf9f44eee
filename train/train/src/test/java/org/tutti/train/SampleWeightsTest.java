package org.tutti.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SampleWeightsTest {
    /// Computes the mean in the same way as two ranks with these numbers of samples. `before` is the largest
    /// unit of [SampleWeights] in the previous step; 0 if there was no previous step.
    private static float mean(float one, int ofOne, float other, int ofOther, long before) {
        SampleWeights first = new SampleWeights(false), second = new SampleWeights(false);
        first.hint(before);
        second.hint(before);
        first.next(ofOne);
        second.next(ofOther);
        float sum = one * (float) first.before() + other * (float) second.before();
        return sum * (float) first.after(ofOne + ofOther);
    }

    /// The first step after a restart from a checkpoint has no previous step, but must compute the same bits.
    @Test
    void aMeanHasTheSameBitsWhateverTheStepBefore() {
        Random random = new Random(3);
        for (int trial = 0; trial < 2000; trial++) {
            float one = (float) random.nextGaussian(), other = (float) random.nextGaussian();
            int ofOne = 1 + random.nextInt(50), ofOther = 1 + random.nextInt(50);
            float first = mean(one, ofOne, other, ofOther, 0);
            assertThat(first).isCloseTo((one * ofOne + other * ofOther) / (ofOne + ofOther), within(1e-5f));
            for (long before : new long[] {1, 5, 12, 13, 1000}) {
                assertThat(mean(one, ofOne, other, ofOther, before)).isEqualTo(first);
            }
        }
    }
}
