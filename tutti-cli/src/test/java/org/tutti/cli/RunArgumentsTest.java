package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tutti.launch.Run;

class RunArgumentsTest {
    private static Run run(String... words) {
        return RunArguments.quick(words, 0).toRun();
    }

    @Test
    void readsOptionsBeforeTheProgramOnly() {
        Run run = run("-n", "3", "--jvm", "-Xmx1g", "--jvm=-ea", "--timeout", "1.5", "-x", "A=b", "P.java", "-n", "9");
        assertThat(run.size()).isEqualTo(3);
        assertThat(run.jvm()).containsExactly("-Xmx1g", "-ea");
        assertThat(run.timeout()).isEqualTo(Duration.ofMillis(1500));
        assertThat(run.env()).containsEntry("A", "b");
        assertThat(run.program()).isEqualTo("P.java");
        assertThat(run.args()).containsExactly("-n", "9");
    }

    @Test
    void watchesForStallsUnlessToldNotTo() {
        assertThat(run("P.java").stall()).isEqualTo(Duration.ofSeconds(10));
        assertThat(run("--stall", "0.5", "P.java").stall()).isEqualTo(Duration.ofMillis(500));
        assertThat(run("--stall=0", "P.java").stall()).isZero();
    }

    @Test
    void takesALibraryForAWishForItsEngine() {
        assertThat(run("--mpi", "mpich", "P.java").engine()).isEqualTo("libmpi");
        assertThat(run("P.java").engine()).isEqualTo("shm");
    }

    @Test
    void leavesMistakesAndHelpToPicocli() {
        assertThat(RunArguments.quick(new String[] {"--help"}, 0)).isNull();
        assertThat(RunArguments.quick(new String[] {"--engin", "shm", "P.java"}, 0))
                .isNull();
        assertThat(RunArguments.quick(new String[] {"-n"}, 0)).isNull();
    }

    @Test
    void explainsValuesThatMakeNoSense() {
        assertThatThrownBy(() -> run("-n", "x", "P.java")).hasMessageStartingWith("-n x: the number of ranks");
        assertThatThrownBy(() -> run("--timeout", "soon", "P.java")).hasMessageStartingWith("--timeout soon: give");
        for (String stall : new String[] {"soon", "-1", "NaN", "1e10", ""}) {
            assertThatThrownBy(() -> run("--stall", stall, "P.java"))
                    .hasMessage("--stall " + stall + ": give a number of seconds, as in --stall 30, or 0 for never");
        }
        assertThatThrownBy(() -> run("-n", "2")).hasMessageStartingWith("nothing to run");
    }
}
