package org.tutti.launch.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EditDistanceTest {
    @Test
    void countsInsertionsDeletionsReplacementsAndExchanges() {
        assertThat(EditDistance.of("", "")).isZero();
        assertThat(EditDistance.of("", "run")).isEqualTo(3);
        assertThat(EditDistance.of("run", "run")).isZero();
        for (String word : List.of("rnu", "ru", "runn", "ran", "un"))
            assertThat(EditDistance.of(word, "run")).as(word).isEqualTo(1);
        assertThat(EditDistance.of("dcotor", "doctor")).isEqualTo(1);
        for (String word : List.of("nur", "rrnn", "serve", "r"))
            assertThat(EditDistance.of(word, "run")).as(word).isGreaterThan(1);
        assertThat(EditDistance.of("kitten", "sitting")).isEqualTo(3);
    }

    @Test
    void theNearestWordIsTheFirstOfSeveral() {
        List<String> words = List.of("latency", "bandwidth", "allreduce", "reduce");
        assertThat(EditDistance.nearest("allredcue", words)).isEqualTo("allreduce");
        assertThat(EditDistance.nearest("", List.of("ab", "cd"))).isEqualTo("ab");
    }
}
