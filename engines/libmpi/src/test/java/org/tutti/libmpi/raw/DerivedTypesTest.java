package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.libmpi.JavaProcess;

/// Compares derived types with the types that the libraries create with the corresponding constructors: sizes,
/// bounds, and every packed byte. `-Dtutti.types.seed=N` selects other random types.
@Tag("ci")
class DerivedTypesTest {
    private static final String SEED = String.valueOf(Long.getLong("tutti.types.seed", 1));
    private static final String COUNT = "1500";

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void matchTheLibrary(String library) throws Exception {
        List<String> command = List.of(TypeOracle.class.getName(), SEED, COUNT);
        String output = JavaProcess.run(Map.of(RankEnvironment.LIBMPI, library), command);
        assumeFalse(output.contains("no MPI library could be loaded"), "skipped, because there is no " + library);
        assertThat(output.lines().filter(line -> line.startsWith("seed "))).isEmpty();
        assertThat(output).as("a line at the end").containsPattern("compared \\d{4}");
    }
}
