package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.conformance.ContractMain;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;

/// Tests Tutti with an `os.name` other than Linux: ranks as threads work, and ranks as processes are rejected
/// with one sentence. Other properties of such systems are not simulated.
@Tag("ci")
class OtherSystemsTest extends JobTest {
    private static final String REFUSAL =
            "ranks as processes need Linux, and this system is Windows 11; run the program in"
                    + " Linux (WSL2 on Windows, a container, a virtual machine), or the ranks as threads by Tutti.local";
    private static final String WINDOWS = "-Dos.name=Windows 11";

    @ParameterizedTest
    @ValueSource(strings = {"Mac OS X", "Windows 11"})
    void ranksAsThreadsLeaveNoFiles(String system) throws Exception {
        Path temporary = Checkout.scratch("other-system");
        ProcessOutcome ended = java(
                        system,
                        temporary,
                        ContractMain.class.getName(),
                        "--threads",
                        "3",
                        "SendRecv.",
                        "Allreduce.",
                        "ObjectCollective.",
                        "Window.")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().lines().filter(line -> line.startsWith("contract passed")))
                .hasSizeGreaterThan(20);
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void aProgramWithoutALauncherWorks() throws Exception {
        Path temporary = Checkout.scratch("other-system");
        ProcessOutcome ended =
                java("Windows 11", temporary, "programs.RankPrinter", "hello").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).isEqualTo("rank 0 of 1\n");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void sharedMemoryIsAFileInTheTemporaryDirectory() throws Exception {
        Path temporary = Checkout.scratch("other-system").resolve("missing");
        ProcessOutcome ended = java(
                        "Windows 11", temporary, ContractMain.class.getName(), "--threads", "2", "SendRecv.")
                .run();
        assertThat(ended.code()).isOne();
        assertThat(ended.err()).contains("shared memory needs a file in " + temporary + ", which cannot be created");
    }

    @Test
    void runRequiresLinux() throws Exception {
        ProcessOutcome ended = Command.launcher(List.of(WINDOWS), List.of("run", "-n", "2", "examples/Hello.java"))
                .run();
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isEqualTo("tutti: " + REFUSAL + "\n");
    }

    @Test
    void aRankOfAForeignLauncherRequiresLinux() throws Exception {
        ProcessOutcome ended = java("Windows 11", Checkout.scratch("other-system"), "programs.RankPrinter", "hello")
                .env("OMPI_COMM_WORLD_RANK", "0")
                .env("OMPI_COMM_WORLD_SIZE", "2")
                .run();
        assertThat(ended.code()).isOne();
        assertThat(ended.err()).contains("MpiException: init: " + REFUSAL);
    }

    @Test
    void doctorNamesTheSystem() throws Exception {
        ProcessOutcome ended =
                Command.launcher(List.of(WINDOWS), List.of("doctor")).run();
        assertThat(ended.out().replaceAll("\\s+", " "))
                .contains(
                        "FAILS ranks as processes need Linux, and this system is Windows 11 -> run the program in Linux");
    }

    private static Command java(String system, Path temporary, String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                Checkout.java(),
                Command.RANKS_FLAG,
                "-Dos.name=" + system,
                "-Djava.io.tmpdir=" + temporary,
                "-Dtutti.door=plain",
                "-cp",
                String.join(
                        File.pathSeparator,
                        Checkout.classPathText(),
                        Checkout.classes("tutti-conformance").toString(),
                        Checkout.PROGRAMS.toString())));
        line.addAll(List.of(arguments));
        return Command.of(line);
    }
}
