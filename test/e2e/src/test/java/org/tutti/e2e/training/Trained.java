package org.tutti.e2e.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// The result of training: the parameters, in single precision, and the printed output.
record Trained(byte[] bytes, String output) {
    /// Maximum relative distance after 100 steps.
    private static final double CLOSE = 1e-6;

    /// Checks the results that one job has stored in `directory`, and the common output. The two runs of all
    /// ranks (`all` and `again`) have equal parameters, and the runs of a single rank and of the other ranks
    /// are close to these.
    static void assertAllAlike(Path directory, String output, String where) throws IOException {
        List<String> lines = output.lines().toList();
        assertThat(lines).as(where).isNotEmpty();
        assertThat(Set.copyOf(lines)).as(where).hasSize(lines.size() / 4);
        Trained all = of(directory, "all");
        assertThat(of(directory, "again").bytes).as(where).isEqualTo(all.bytes);
        for (String name : List.of("single", "rest")) of(directory, name).assertLearnedAs(all, where + ", " + name);
    }

    private static Trained of(Path directory, String name) throws IOException {
        return new Trained(Files.readAllBytes(directory.resolve(name)), "");
    }

    void assertLearnedAs(Trained other, String where) {
        assertThat(distance(other)).as("relative distance on %s", where).isLessThan(CLOSE);
        assertThat(output).as(where).isEqualTo(other.output);
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
