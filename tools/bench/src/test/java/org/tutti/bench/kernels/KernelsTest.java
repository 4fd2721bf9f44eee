package org.tutti.bench.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.bench.plan.BenchTest;
import org.tutti.mpi.Tutti;

class KernelsTest {
    private static final int ITERATIONS = 3, DIVISOR = 20;
    private static final List<BenchTest> KERNELS =
            Arrays.stream(BenchTest.values()).filter(BenchTest::isKernel).toList();

    /// Runs all kernels with little data on ranks that are threads. Each kernel verifies the result. Returns
    /// the checksums.
    private static Map<String, String> checksums(int ranks) {
        Map<String, String> all = new ConcurrentHashMap<>();
        Tutti.local(ranks, mpi -> {
            for (BenchTest kernel : KERNELS) {
                String checksum = Kernels.hex(
                        Kernels.run(mpi, kernel, ITERATIONS, DIVISOR).checksum());
                assertThat(all.merge(kernel.word(), checksum, (a, b) -> a)).isEqualTo(checksum);
            }
        });
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void resultsAreRightOnAnyNumberOfRanks(int ranks) {
        assertThat(checksums(ranks)).hasSameSizeAs(KERNELS);
    }

    @Test
    void wrongResultsAreErrors() {
        assertThatThrownBy(() -> Kernels.verify(BenchTest.STENCIL, 18, 255, 7, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "stencil: checksum 0x0000000000000012 is wrong, expected 0x00000000000000ff after 7 iterations"
                                + " on 2 ranks");
    }
}
