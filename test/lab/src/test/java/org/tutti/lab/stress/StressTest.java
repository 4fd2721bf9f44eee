package org.tutti.lab.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StressTest {
    private static final int RACES = 9;
    private static final String MODE = System.getProperty("tutti.stress.mode");

    /// The short mode: one JVM and one second per race, in which the actors meet about 10^6 times. Other modes
    /// also use other compilers.
    private static final List<String> SHORT = List.of(
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "1",
            "-time",
            "1000",
            "-sc",
            "false",
            "-af",
            "NONE",
            "-c",
            "2",
            "-jvmArgs",
            "-XX:+UseSerialGC");

    @Test
    @Tag("full")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void noRaceHasAForbiddenOutcome() throws Exception {
        Path out = Path.of(System.getProperty("tutti.stress.out"));
        Files.createDirectories(out);
        File log = out.resolve("log.txt").toFile();
        Process jcstress = new ProcessBuilder(command())
                .directory(out.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        int code;
        try {
            code = jcstress.waitFor();
        } finally {
            jcstress.descendants().forEach(ProcessHandle::destroyForcibly);
            jcstress.destroyForcibly();
        }
        String text = Files.readString(log.toPath());
        assertThat(code).as(text).isZero();
        assertThat(text).contains("All remaining tests: " + RACES + " matching test results");
    }

    private static List<String> command() {
        List<String> line = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-v",
                "-t",
                "org.tutti.lab.stress"));
        if (MODE.equals("short")) line.addAll(SHORT);
        else line.addAll(List.of("-m", MODE));
        return line;
    }
}
