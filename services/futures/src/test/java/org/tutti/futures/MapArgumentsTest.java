package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Streams of arguments that throw.
@Timeout(value = 30)
class MapArgumentsTest {
    @Test
    void argumentsThatThrowEndTheirMap() {
        try (RankPool pool = RankPool.threads(1)) {
            Stream<Integer> bad = Stream.of(1, 2, 0).map(x -> 6 / x);
            assertThatThrownBy(() -> pool.map(x -> x, bad)).isInstanceOf(ArithmeticException.class);
            assertThat(pool.map(x -> x, List.of(7)).toList()).containsExactly(7);
        }
    }
}
