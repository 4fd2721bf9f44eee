package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.place.Binding;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Run;

class RunArgumentsTest {
    private static Run run(String... words) {
        return RunArguments.quick(words, 0).toRun();
    }

    @Test
    void readsOptionsBeforeTheProgramOnly() {
        Run run = run("-n", "3", "--jvm", "-Xmx1g", "--jvm=-ea", "--timeout", "1.5", "-x", "A=b", "P.java", "-n", "9");
        assertThat(run.size()).isEqualTo(3);
        assertThat(run.programs().getFirst().jvm()).containsExactly("-Xmx1g", "-ea");
        assertThat(run.limits().timeout()).isEqualTo(Duration.ofMillis(1500));
        assertThat(run.ranks().env()).containsEntry("A", "b");
        assertThat(run.programs().getFirst().program()).isEqualTo("P.java");
        assertThat(run.programs().getFirst().args()).containsExactly("-n", "9");
    }

    @Test
    void detectsStallsByDefault() {
        assertThat(run("P.java").limits().stall()).isEqualTo(Duration.ofSeconds(10));
        assertThat(run("--stall", "0.5", "P.java").limits().stall()).isEqualTo(Duration.ofMillis(500));
        assertThat(run("--stall=0", "P.java").limits().stall()).isZero();
    }

    @Test
    void takesALibraryForAWishForItsEngine() {
        assertThat(run("--mpi", "mpich", "P.java").engine().name()).isEqualTo("libmpi");
        assertThat(run("P.java").engine().name()).isEqualTo("shm");
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

    @Test
    void dividesProgramsAtColons() {
        Run run = run("-n", "1", "--timeout", "9", "A.java", "a:", ":", "-n", "3", "-cp", "x", "--jvm=-ea", "B", "-n");
        assertThat(run.size()).isEqualTo(4);
        assertThat(run.programs())
                .containsExactly(
                        new ProgramSpec(1, "A.java", List.of("a:"), null, List.of()),
                        new ProgramSpec(3, "B", List.of("-n"), "x", List.of("-ea")));
        assertThatThrownBy(() -> run("-n", "1", "A.java", ":", "-n", "1", "--quiet", "B.java"))
                .hasMessage(
                        "--quiet is in part 2 (B.java) but applies to the whole job; give it before the first program");
    }

    @Test
    void acceptsMpirunsPlacementOptions() {
        Run run = run("-H", "localhost:3", "--bind-to", "core", "--map-by=socket", "--cpu-list", "0-1", "A.java");
        assertThat(run.size()).isEqualTo(3);
        assertThat(run.placement().binding()).isEqualTo(new Binding("core", "socket", "0-1", null, false, false));
        assertThat(run("--oversubscribe", "--report-bindings", "A.java")
                        .placement()
                        .binding())
                .isEqualTo(new Binding(null, null, null, null, true, true));
    }

    @Test
    void anEmptyNameIsNamed() {
        assertThatThrownBy(() -> run("--wdir", "", "A.java"))
                .hasMessage("--wdir '': the name is empty; give a directory");
        assertThatThrownBy(() -> run("--trace=", "A.java")).hasMessage("--trace '': the name is empty; give a file");
    }

    @Test
    void graceIsATime() {
        assertThat(run("A.java").limits().grace()).isEqualTo(Duration.ofSeconds(30));
        assertThat(run("--grace", "0", "A.java").limits().grace()).isZero();
        assertThat(run("--grace=1.5", "A.java").limits().grace()).isEqualTo(Duration.ofMillis(1500));
        assertThatThrownBy(() -> run("--grace", "soon", "A.java"))
                .hasMessage("--grace soon: give a number of seconds, as in --grace 60, or 0 to end ranks as after a"
                        + " failure");
    }

    @Test
    void theFirstSentenceOfAnExampleIsItsLine() {
        assertThat(ExampleProgram.summary("/*\n * One thing,\n * and more. Then another.\n *\n * Rest\n */\n"))
                .isEqualTo("One thing, and more.");
        assertThat(ExampleProgram.summary("// A line\n\nimport x;\n")).isEqualTo("A line");
        assertThat(ExampleProgram.summary("/** Short */\nvoid main() {}\n")).isEqualTo("Short");
        assertThat(ExampleProgram.summary("void main() {}\n")).isEmpty();
    }
}
