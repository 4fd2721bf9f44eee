package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A result that cannot be encoded, or cannot be decoded on the leading rank, fails only the task.
@Timeout(value = 30)
class UnreadableResultTest {
    /// A record with a constructor that throws on the leading rank only.
    record Local(int n) {
        Local {
            refuseOnLeader(n);
        }
    }

    private static void refuseOnLeader(int n) {
        if (Thread.currentThread().getName().equals("tutti-pool")) throw new IllegalArgumentException(n + " is remote");
    }

    private static Object result(int x) {
        if (x % 8 == 1) return new Object();
        return x % 8 == 2 ? new Local(x) : x;
    }

    private static List<Object> outcomes(Iterator<Object> results) {
        List<Object> all = new ArrayList<>();
        while (results.hasNext()) {
            try {
                all.add(results.next());
            } catch (TaskRefusedException e) {
                all.add(String.valueOf(e.getMessage()));
            }
        }
        return all;
    }

    /// If a result cannot be encoded, the future completes before the last answer of the task arrives.
    @Test
    void noRequestRemainsAfterAnUnencodableResult() {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<Object> future = pool.submit(x -> result(x), 1);
            assertThatThrownBy(future::join).hasMessageContaining("java.lang.Object cannot be sent");
        } finally {
            System.setErr(before);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void eachTaskOfAChunkHasItsOwnOutcome() {
        try (RankPool pool = RankPool.threads(2)) {
            List<Object> all = outcomes(pool.withChunkSize(4)
                    .map(x -> result(x), IntStream.range(0, 96))
                    .iterator());
            assertThat(all).hasSize(96);
            for (int x = 0; x < 96; x++) {
                switch (x % 8) {
                    case 1 ->
                        assertThat((String) all.get(x))
                                .startsWith("the result is not a value: java.lang.Object cannot be sent")
                                .contains("(task " + x + " of map");
                    case 2 ->
                        assertThat((String) all.get(x))
                                .contains("a result cannot be read on this rank", x + " is remote")
                                .doesNotContain("withChunkSize(1)");
                    default -> assertThat(all.get(x)).isEqualTo(x);
                }
            }
            assertThat(pool.map(x -> x + 1, IntStream.range(0, 3)).toList()).containsExactly(1, 2, 3);
        }
    }
}
