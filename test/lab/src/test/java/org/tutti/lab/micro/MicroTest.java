package org.tutti.lab.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

class MicroTest {
    /// The number of benchmarks with all parameters. The test fails if a benchmark is missing.
    private static final int VARIANTS = 1 + 2 + 2 * 4 + 3 * 2 + 1 + 1 + 2 * 2;

    @Test
    void everyPieceRuns() throws Exception {
        String wanted = System.getProperty("tutti.micro", "");
        ChainedOptionsBuilder options = new OptionsBuilder().shouldFailOnError(true);
        if (!wanted.isEmpty()) {
            assertThat(new Runner(options.include(wanted).build()).run()).isNotEmpty();
            return;
        }
        Collection<RunResult> results = new Runner(options.forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(10))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        assertThat(results).hasSize(VARIANTS);
    }
}
