package org.tutti.testkit.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Way;

/// What a rank makes the JVM do before its first message: counted, so that it does not grow unnoticed.
class StartUpTest extends JobTest {
    private static final int RANKS = 2;

    /// Classes that a rank's JVM makes at run time: 165 were seen where it has no cache, 54 where it has one.
    private static final int MOST_MADE = 220;

    /// The JVM logs them as made by itself, or by the class that they are made for.
    private static final List<String> MADE =
            List.of("$$TypeSwitch", "$$StringConcat", "LambdaForm$", "$$Lambda/", "BoundMethodHandle$Species_");

    @Test
    void theFirstMessageMakesNoClassesForSwitchesAndStrings() throws Exception {
        Path logs = Files.createTempDirectory(Checkout.SCRATCH, "classes");
        String log = "-Xlog:class+load:file=" + logs.resolve("%p.log");
        Ended ended = Command.program(Way.SHM, RANKS, List.of("--jvm", log), "FirstMessages")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        List<List<String>> made = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(logs)) {
            for (Path file : files) made.add(madeIn(file));
        }
        assertThat(made).hasSize(RANKS).allSatisfy(classes -> {
            assertThat(classes).filteredOn(c -> c.contains("StringConcat")).isEmpty();
            assertThat(classes)
                    .filteredOn(c -> c.contains("TypeSwitch") && c.contains("org.tutti."))
                    .isEmpty();
            assertThat(classes).hasSizeLessThan(MOST_MADE);
        });
    }

    private static List<String> madeIn(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .filter(line -> !line.contains("source: shared objects file"))
                .filter(line -> MADE.stream().anyMatch(line::contains))
                .toList();
    }
}
