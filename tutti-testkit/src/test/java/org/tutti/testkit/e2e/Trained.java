package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/// What a training has left: the parameters, in single precision, and what it said.
record Trained(byte[] bytes, String told) {
    /// Relative, after 100 steps.
    private static final double CLOSE = 1e-6;

    void assertLearnedAs(Trained other, String where) {
        assertThat(distance(other)).as("relative distance on %s", where).isLessThan(CLOSE);
        assertThat(told).as(where).isEqualTo(other.told);
    }

    private double distance(Trained other) {
        FloatBuffer a = floats(), b = other.floats();
        assertThat(a.remaining()).isEqualTo(b.remaining()).isPositive();
        double difference = 0, norm = 0;
        for (int i = 0; i < a.limit(); i++) {
            difference += Math.pow((double) a.get(i) - b.get(i), 2);
            norm += Math.pow(b.get(i), 2);
        }
        return Math.sqrt(difference / norm);
    }

    private FloatBuffer floats() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }
}
